use std::collections::BTreeSet;

use super::*;

/// Categories of the demo's lists, one that no rule knows, and some of one motif.
const CATEGORIES: [&str; 12] = [
    "tropical-fruit",
    "eggs",
    "fluid-milk-products",
    "baked-bread-buns-rolls",
    "cheese",
    "soft-drinks",
    "beef",
    "vegetables-shelf-stable",
    "soup",
    "cold-cereal",
    "dry-noodles-pasta",
    "tickets",
];

/// The elements of a drawing, each closed as XML wants it, with its attributes quoted.
fn elements(svg: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    let mut rest = svg;
    while let Some((text, tag)) = rest.split_once('<') {
        assert_eq!(text, "", "text between elements");
        let (tag, after) = tag.split_once('>').expect("an element ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(closed));
        } else {
            let name = tag.split([' ', '/']).next().unwrap().to_owned();
            if !tag.ends_with('/') {
                open.push(name.clone());
            }
            seen.push(name);
        }
        rest = after;
    }
    assert_eq!((rest, open.len()), ("", 0));
    seen
}

#[test]
fn every_drawing_is_well_formed_and_of_shapes_alone() {
    let motifs: Vec<String> = CATEGORIES.iter().map(|category| svg(category).unwrap()).collect();
    let known = ["pizza", "mushroom", "wine", "paper", "pet-", "floral", "vitamin", "cookware", "halloween"];
    for drawn in motifs.into_iter().chain(known.map(|category| svg(category).unwrap())) {
        let allowed = ["svg", "g", "path", "circle", "ellipse", "rect"];
        assert!(elements(&drawn).iter().all(|name| allowed.contains(&name.as_str())), "{drawn}");
        assert!(drawn.starts_with(r#"<svg xmlns="http://www.w3.org/2000/svg""#));
        for active in ["script", "href", "style", "onload", "url(", "{"] {
            assert!(!drawn.contains(active), "{active} in {drawn}");
        }
    }
}

#[test]
fn a_category_always_looks_the_same_and_unlike_others() {
    let all: BTreeSet<String> = CATEGORIES.iter().map(|category| svg(category).unwrap()).collect();
    assert_eq!(all.len(), CATEGORIES.len());
    assert_eq!(svg("soup"), svg("soup"));
}

#[test]
fn what_is_no_name_is_not_drawn() {
    let long = "a".repeat(NAME_MAX + 1);
    for name in ["", "A", "a b", "<svg>", "../etc", "ä", &long] {
        assert_eq!(svg(name), None, "{name}");
    }
}
