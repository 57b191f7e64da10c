//! What a list's item may say.
//!
//! The lists go into a page that many people see, past no other check: the edge writes them out as they are, and a shop
//! puts them into links. So what could not be shown, or would run when it is clicked, is refused here, once.

use std::fmt;

use crate::document::Item;

/// Most characters of an id or a category.
const NAME_CHARS: usize = 128;
/// Most characters of a title.
const TITLE_CHARS: usize = 300;
/// Most characters of a link.
const LINK_CHARS: usize = 2_048;

/// A field of a list's item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `id`
    Id,
    /// `title`
    Title,
    /// `category`
    Category,
    /// `image`
    Image,
    /// `url`
    Url,
}

/// What is wrong with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FieldProblem {
    /// Nothing stands in it.
    #[error("is empty")]
    Empty,
    /// It is longer than a page can show.
    #[error("is longer than {0} characters")]
    Long(usize),
    /// A control character stands in it, such as a line break or NUL.
    #[error("holds a control character")]
    Control,
    /// Neither a path nor an https address: a `javascript:` link would run in the page, an `http:` one tells the
    /// network what a shopper looks at, and `//host` is another host that looks like a path.
    #[error("is neither a path nor an https address")]
    Link,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id => "id",
            Self::Title => "title",
            Self::Category => "category",
            Self::Image => "image",
            Self::Url => "url",
        })
    }
}

/// The first field of an item that cannot be served.
pub(crate) fn problem(item: &Item) -> Option<(Field, FieldProblem)> {
    let texts = [
        (Field::Id, &item.id, NAME_CHARS),
        (Field::Title, &item.title, TITLE_CHARS),
        (Field::Category, &item.category, NAME_CHARS),
    ];
    let links = [(Field::Image, &item.image), (Field::Url, &item.url)];
    let texts = texts.into_iter().map(|(field, value, most)| (field, text(value, most)));
    let links = links.into_iter().map(|(field, value)| (field, link(value)));
    texts.chain(links).find_map(|(field, problem)| problem.map(|problem| (field, problem)))
}

fn text(value: &str, most: usize) -> Option<FieldProblem> {
    if value.is_empty() {
        Some(FieldProblem::Empty)
    } else if value.chars().nth(most).is_some() {
        Some(FieldProblem::Long(most))
    } else {
        value.contains(char::is_control).then_some(FieldProblem::Control)
    }
}

fn link(value: &str) -> Option<FieldProblem> {
    if let Some(problem) = text(value, LINK_CHARS) {
        return Some(problem);
    }
    // A browser takes a backslash for a slash and drops spaces around an address (WHATWG URL, section 4.4).
    let strange = value.contains(|c: char| c == '\\' || c.is_whitespace());
    let path = !value.starts_with("//") && !first_segment(value).contains(':');
    let https = value.strip_prefix("https://").is_some_and(|rest| !first_segment(rest).is_empty());
    (strange || !(path || https)).then_some(FieldProblem::Link)
}

/// What stands before the first slash, query or fragment: a colon in it makes a scheme of it (RFC 3986, section 4.2).
fn first_segment(link: &str) -> &str {
    link.split(['/', '?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{FieldProblem, link, text};

    #[test]
    fn a_link_is_a_path_or_an_https_address() {
        for good in ["/p/1", "img/food.svg", "https://shop.example/p?a=b#c", "p?next=a:b", "/a:b", "/é/🍌"]
        {
            assert_eq!(link(good), None, "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            " javascript:alert(1)",
            "data:text/html,x",
            "http://shop.example/",
            "//other.example/",
            "/\\other.example/",
            "https:///p",
            "https://",
            "/a b",
        ] {
            assert_eq!(link(bad), Some(FieldProblem::Link), "{bad}");
        }
        assert_eq!(link("java\nscript:alert(1)"), Some(FieldProblem::Control));
        assert_eq!(link(""), Some(FieldProblem::Empty));
        assert_eq!(link(&"a".repeat(2_049)), Some(FieldProblem::Long(2_048)));
    }

    #[test]
    fn a_text_is_what_a_page_can_show() {
        for good in ["قهوة", "tea \"fine\" </script>", "👩‍🍳 mix", &"é".repeat(300)] {
            assert_eq!(text(good, 300), None, "{good}");
        }
        assert_eq!(text("nul\0", 300), Some(FieldProblem::Control));
        assert_eq!(text(&"é".repeat(301), 300), Some(FieldProblem::Long(300)));
    }
}
