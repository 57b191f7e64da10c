//! The first answers: a personal shelf beside the popularity list, and what happens where there is no cell.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

use domicile_cluster::cluster::demo_file;
use domicile_cluster::report::print;
use domicile_cluster::{Cluster, paths, process};

/// Locales whose first household is shown.
const LOCALES: [&str; 3] = ["de-DE", "en-US", "en-GB"];

/// How often a locale is asked before its answer counts as wrong.
const TRIES: usize = 3;

/// Shows one shelf for each locale; false when one of them is not what it should be.
pub(crate) fn first_answers(cluster: &Cluster) -> anyhow::Result<bool> {
    let assignments = &cluster.setup().assignments;
    let mut sound = true;
    for locale in LOCALES {
        let household = first_household(assignments, locale)?;
        print("");
        let mut wanted = false;
        // On a busy machine the first request may find the cell cold and get a lower rung.
        for _ in 0..TRIES {
            wanted = wanted || as_it_should_be(cluster, locale, &household)?;
        }
        sound &= wanted;
        print(ask(cluster, locale, &household, &[])?.trim_end());
    }
    Ok(sound)
}

/// Whether the answer is the one that this locale has to get.
fn as_it_should_be(cluster: &Cluster, locale: &str, household: &str) -> anyhow::Result<bool> {
    let answer: Value = serde_json::from_str(&ask(cluster, locale, household, &["--json"])?)
        .context("domicile rank printed no JSON")?;
    let outcome = answer.get("outcome").and_then(Value::as_str).unwrap_or_default();
    let rung = answer.pointer("/answer/rung").and_then(Value::as_str).unwrap_or_default();
    // en-GB has no cell: a list is the right answer there, and a ranking would be a breach.
    Ok(if locale == "en-GB" { outcome == "list" } else { outcome == "relayed" && rung == "full" })
}

fn ask(cluster: &Cluster, locale: &str, shopper: &str, more: &[&str]) -> anyhow::Result<String> {
    let mut rank = Command::new(paths::binary("domicile"));
    rank.args([
        "rank",
        "--edge",
        cluster.edge_url(),
        "--identity",
        cluster.identity_url(),
        "--locale",
        locale,
    ]);
    rank.args(["--shopper", shopper, "--root-key"]).arg(demo_file("keys/root.jwk")).args(more);
    process::capture(&mut rank)
}

/// The household of `locale` that stands first in the assignment.
fn first_household(assignments: &Path, locale: &str) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(assignments)
        .with_context(|| format!("cannot read {}", assignments.display()))?;
    text.lines()
        .skip(1)
        .filter_map(|line| line.split_once(','))
        .find(|(_, l)| *l == locale)
        .map(|(shopper, _)| shopper.to_owned())
        .with_context(|| format!("no household is assigned to {locale}"))
}
