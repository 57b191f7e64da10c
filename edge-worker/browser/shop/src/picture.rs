//! A product's picture, drawn from its category's name: no photograph is fetched, and none is anybody's.
//!
//! A category is a motif (what kind of thing it is, by the words of its name), in colours. Fresh things have the
//! colours that they have; packages have some of their category's own, from a hash of its name, so that two shelves of
//! boxes are told apart and every start draws the same. A category of no known kind is a pattern.

mod fresh;
mod goods;
mod kinds;

use sha2::{Digest as _, Sha256};

/// Longest category name that is drawn.
const NAME_MAX: usize = 64;

/// A drawing: shapes of a square of 200, in colours `{a}`, `{b}`, `{c}`.
pub(crate) struct Motif {
    shapes: &'static str,
    colours: Colours,
}

/// Where a motif's colours come from.
enum Colours {
    /// Those of the thing.
    Of([&'static str; 3]),
    /// The category's own.
    Own,
}

/// The picture of a category as SVG; `None` of what cannot be a category's name.
pub(crate) fn svg(category: &str) -> Option<String> {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if category.is_empty() || category.len() > NAME_MAX || !category.bytes().all(fits) {
        return None;
    }
    let seed = seed(category);
    let own = own_colours(seed);
    let (shapes, [a, b, c]) = match kinds::motif(category) {
        Some(Motif { shapes, colours: Colours::Of(colours) }) => {
            ((*shapes).to_owned(), colours.map(ToOwned::to_owned))
        }
        Some(Motif { shapes, colours: Colours::Own }) => ((*shapes).to_owned(), own),
        None => (pattern(seed), own),
    };
    let shapes = shapes.replace("{a}", &a).replace("{b}", &b).replace("{c}", &c);
    let hue = hue(seed);
    // The ground is a tint, so that it sits on a light page and on a dark one.
    let ground =
        format!(r#"<circle cx="100" cy="100" r="84" fill="hsl({hue} 45% 55%)" fill-opacity=".16"/>"#);
    Some(format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="320" height="320">{ground}{shapes}</svg>"#
    ))
}

/// 32 bits of the name's hash: the same on every machine.
fn seed(category: &str) -> u32 {
    Sha256::digest(category).iter().take(4).fold(0, |seed, byte| seed << 8 | u32::from(*byte))
}

/// Degrees. Twelve of them, so that neighbours are not nearly the same.
fn hue(seed: u32) -> u32 {
    seed % 12 * 30 + 10
}

fn own_colours(seed: u32) -> [String; 3] {
    let (hue, apart) = (hue(seed), 30 + seed / 16 % 4 * 40);
    [
        format!("hsl({hue} 48% 52%)"),
        format!("hsl({} 58% 68%)", (hue + apart) % 360),
        format!("hsl({hue} 42% 34%)"),
    ]
}

/// Four by four tiles of three shapes.
fn pattern(seed: u32) -> String {
    let tile = |n: u32| {
        let (x, y) = (55 + n % 4 * 30, 55 + n / 4 * 30);
        let colour = ["{a}", "{b}", "{c}"].get((seed.rotate_left(n) % 3) as usize).copied().unwrap_or("{a}");
        match seed.rotate_right(n) % 3 {
            0 => format!(r#"<circle cx="{x}" cy="{y}" r="11" fill="{colour}"/>"#),
            1 => format!(
                r#"<rect x="{}" y="{}" width="22" height="22" rx="5" fill="{colour}"/>"#,
                x - 11,
                y - 11
            ),
            _ => format!(r#"<path d="M{} {}a22 22 0 0 1 22-22v22z" fill="{colour}"/>"#, x - 11, y + 11),
        }
    };
    (0..16).map(tile).collect()
}

#[cfg(test)]
#[path = "picture/tests.rs"]
mod tests;
