//! `docs/cell.md` names every code, reason, state and metric, with the status that the code has.

use domicile_cell::config::Config;
use domicile_cell::telemetry::{Outcome, SealPart, Telemetry, Turned};
use domicile_ladder::{FeatureState, Reason, Rung};
use domicile_wire::{Call, Code};

use crate::world::repository;

fn page() -> String {
    std::fs::read_to_string(repository("docs/cell.md")).unwrap()
}

/// The part of the page between two lines that begin so.
fn part<'p>(page: &'p str, from: &str, to: &str) -> &'p str {
    let (_, rest) = page.split_once(from).unwrap_or_else(|| panic!("no {from:?}"));
    rest.split_once(to).unwrap_or_else(|| panic!("no {to:?}")).0
}

/// The rows of a table of codes: code and status.
fn rows(part: &str) -> Vec<(String, u16)> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
        Some((cells.next()?.trim_end_matches('`').to_owned(), cells.next()?.parse().ok()?))
    };
    part.lines().filter_map(row).collect()
}

#[test]
fn every_code_stands_there_with_its_status() {
    let page = page();
    let inner = rows(part(&page, "\nInside the message:", "\nOutside of it"));
    let codes: Vec<_> = Code::ALL.map(|code| (code.as_str().to_owned(), code.status())).into();
    assert_eq!(inner, codes);
    let outer = rows(part(&page, "\nOutside of it", "\n## Configuration"));
    let routes = [("unknown-route", 404), ("method-not-allowed", 405), ("no-keys", 404)];
    let routes = routes.map(|(code, status)| (code.to_owned(), status));
    let turned = Turned::all().map(|turned| (turned.as_str().to_owned(), turned.status()));
    let (mut outer, mut codes) = (outer, routes.into_iter().chain(turned).collect::<Vec<_>>());
    outer.sort();
    codes.sort();
    assert_eq!(outer, codes);
}

#[test]
fn every_name_in_an_answer_and_every_metric_stands_there() {
    let page = page();
    let names = Reason::ALL.map(Reason::as_str).into_iter();
    let names = names.chain(FeatureState::ALL.map(FeatureState::as_str)).chain(Rung::ALL.map(Rung::as_str));
    let names = names.chain(Call::NAMES).chain(SealPart::ALL.map(SealPart::as_str));
    for name in names.chain(Outcome::ALL.map(Outcome::as_str)) {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
    let text = Telemetry::new("sha256:aa").render(&[]);
    for name in text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()) {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_configuration_that_it_shows_is_the_default() {
    let directory = tempfile::tempdir().unwrap();
    let (file, page) = (directory.path().join("cell.toml"), page());
    std::fs::write(&file, part(&page, "```toml\n", "```")).unwrap();
    assert_eq!(Config::load(Some(&file), 120).unwrap(), Config::default());
}

#[test]
fn the_sections_that_name_files_are_shown_with_their_defaults() {
    let (directory, page) = (tempfile::tempdir().unwrap(), page());
    let load = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), format!("version = 1\n{text}")).unwrap();
        Config::load(Some(&directory.path().join(name)), 120).unwrap()
    };
    let shown = load("shown.toml", &format!("[seal]\n{}", part(&page, "```toml\n[seal]\n", "```")));
    let least =
        "[seal]\nkey_dir = \"seal-keys\"\nsigning_key = \"cell.jwk\"\n[tokens]\nkeys = \"token-keys.json\"\n";
    assert_eq!(shown, load("least.toml", least));
}
