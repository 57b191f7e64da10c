//! Which cells a call may ask, in which order.
//!
//! The manifest's cells and no others: there is no other way to name a cell here. The one that a live cell pointed at
//! comes first, then the shopper's home, where the history lies, then the others in the manifest's order, so that
//! every page of a class agrees on who stands in for whom. Weights are not looked at: they have decided the home.

use domicile_route::{RouteCell, RouteManifest};

/// The cells to ask, first to last, without those that `fails`.
pub(crate) fn order<'m>(
    manifest: &'m RouteManifest,
    steered: Option<&str>,
    home: &str,
    fails: impl Fn(&str) -> bool,
) -> Vec<&'m RouteCell> {
    let first = [steered, Some(home)];
    let mut cells: Vec<&RouteCell> =
        first.into_iter().flatten().filter_map(|name| manifest.cell(name)).chain(&manifest.cells).collect();
    let mut seen: Vec<&str> = Vec::new();
    cells.retain(|cell| {
        let name = cell.name.as_str();
        let new = !seen.contains(&name);
        seen.push(name);
        new && !fails(name)
    });
    cells
}

#[cfg(test)]
mod tests {
    use domicile_route::{Clocks, RouteCell, RouteManifest, Transport};

    use super::order;

    fn names(steered: Option<&str>, home: &str, dead: &[&str]) -> Vec<String> {
        let clocks = Clocks { page_limit_ms: 900, cell_budget_ms: 120 };
        let mut manifest = RouteManifest::new("eu_only", 1, clocks, 0, 1);
        manifest.cells = ["a", "b", "c"]
            .map(|name| RouteCell {
                name: name.into(),
                boundary: "eu".into(),
                weight: 1,
                transport: Transport::Relay,
                answer_bytes: 8_192,
                signing_key: String::new(),
                next_signing_key: None,
            })
            .into();
        order(&manifest, steered, home, |cell| dead.contains(&cell)).iter().map(|c| c.name.clone()).collect()
    }

    #[test]
    fn home_comes_first_unless_a_cell_pointed_elsewhere_and_strangers_never_come() {
        assert_eq!(names(None, "b", &[]), ["b", "a", "c"]);
        assert_eq!(names(Some("c"), "b", &[]), ["c", "b", "a"]);
        assert_eq!(names(Some("us-a"), "us-a", &[]), ["a", "b", "c"]);
        assert_eq!(names(Some("c"), "b", &["c", "b"]), ["a"]);
        assert!(names(None, "a", &["a", "b", "c"]).is_empty());
    }
}
