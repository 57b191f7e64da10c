use std::path::Path;

use domicile_envelope::SigningKey;
use domicile_wire::ShopperId;

use super::*;
use crate::features::FeatureStore as _;

const HISTORY: &str = "shopper,item,kind,time_s\n";
const ASSIGNMENTS: &str = "shopper,locale\n";

struct Files {
    directory: tempfile::TempDir,
}

impl Files {
    fn new(history: &str, assignments: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
        write("topology.toml", &crate::testing::topology(&SigningKey::generate()));
        write("history.csv", &format!("{HISTORY}{history}"));
        write("assignments.csv", &format!("{ASSIGNMENTS}{assignments}"));
        Self { directory }
    }

    fn options(&self, cell: &str, times: Times) -> Options {
        let at = |name: &str| self.directory.path().join(name);
        Options {
            topology: at("topology.toml"),
            cell: cell.into(),
            history: at("history.csv"),
            assignments: at("assignments.csv"),
            store: at(cell),
            times,
        }
    }

    fn refused(&self) -> String {
        let failure = import(&self.options("eu-a", Times::AsTheyAre)).unwrap_err();
        assert_eq!(failure.exit, Exit::Import);
        failure.to_string()
    }
}

fn read(store: &Path, shopper: &str) -> Option<Row> {
    let store = EmbeddedStore::open_complete(store).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(store.read(&ShopperId::new(shopper).unwrap())).unwrap()
}

#[test]
fn every_cell_keeps_its_own_and_every_event_is_accounted_for() {
    let shoppers = 40;
    let history: String = (0..shoppers).map(|s| format!("{s},a,purchase,1000\n{s},b,view,2000\n")).collect();
    let assigned: String = (0..30).map(|s| format!("{s},de-DE\n")).collect();
    let files = Files::new(&history, &format!("{assigned}30,en-GB\n"));
    let [a, b] = ["eu-a", "eu-b"].map(|cell| import(&files.options(cell, Times::AsTheyAre)).unwrap());
    assert_eq!(a.shoppers + b.shoppers, 30);
    assert_eq!((a.shoppers_of_other_cells, b.shoppers_of_other_cells), (b.shoppers, a.shoppers));
    for report in [a, b] {
        assert_eq!((report.shoppers_without_cell, report.shoppers_without_locale), (1, 9));
        assert_eq!(report.events + report.events_not_taken, 2 * shoppers);
        assert!(report.shoppers > 0 && report.events == 2 * report.shoppers);
    }
    let again = import(&files.options("eu-a", Times::AsTheyAre)).unwrap();
    assert_eq!(Report { elapsed_ms: 0, ..again }, Report { elapsed_ms: 0, ..a }, "it can be repeated");
}

#[test]
fn events_of_an_item_are_condensed_and_moved_by_whole_weeks() {
    let files = Files::new("s,a,view,1000\ns,a,purchase,3000\ns,a,basket,2000\n", "s,de-DE\n");
    let cell = ["eu-a", "eu-b"]
        .into_iter()
        .find(|cell| import(&files.options(cell, Times::ShiftedToNow)).unwrap().shoppers == 1);
    let cell = cell.unwrap();
    let report = import(&files.options(cell, Times::ShiftedToNow)).unwrap();
    let row = read(&files.directory.path().join(cell), "s").unwrap();
    let history = &row.profile.items[0];
    assert_eq!((history.kind, history.count), (crate::features::Kind::Purchase, 3));
    assert_eq!(report.shifted_s % WEEK_S, 0);
    assert_eq!(history.recent_s.iter().map(|t| t - report.shifted_s).collect::<Vec<_>>(), [3000, 2000, 1000]);
    assert!((0..WEEK_S).contains(&(row.updated_s - history.last_s())));
}

#[test]
fn complaints_have_line_and_column_and_quote_nothing() {
    let wrong = |history: &str| Files::new(history, "s,de-DE\n").refused();
    let secret = "s,secret-item,secret-kind,1\n";
    assert!(
        wrong(secret).ends_with("history.csv: line 2, column 3 (kind): expected view, basket or purchase")
    );
    for (history, place) in [
        (secret, "line 2, column 3"),
        ("s,a,view,7258118400\n", "0 to 7258118399"),
        ("s,a,view,1\ns,a,view,secret\n", "line 3, column 4"),
        ("s,a,view,-1\n", "line 2, column 4"),
        ("s,a,view,1700000000000\n", "line 2, column 4"),
        ("s,,view,1\n", "line 2, column 2"),
        ("secret secret,a,view,1\n", "line 2, column 1"),
        ("s,a,secret\n", "line 2"),
    ] {
        let line = wrong(history);
        assert!(line.contains(place) && !line.contains("secret"), "{line}");
    }
    let line = Files::new("", "s,xx-XX\n").refused();
    assert!(line.contains("assignments.csv: line 2, column 2 (locale)"), "{line}");
    assert!(Files::new("", "s,de-DE\ns,de-DE\n").refused().contains("line 3, column 1"));
}

#[test]
fn what_is_older_than_an_erasure_is_not_taken_again_whatever_the_shift() {
    let files = Files::new("s,a,view,1000\ns,b,view,3000\nt,a,view,1000\n", "s,de-DE\n");
    let cell = ["eu-a", "eu-b"]
        .into_iter()
        .find(|cell| import(&files.options(cell, Times::AsTheyAre)).unwrap().shoppers == 1)
        .unwrap();
    {
        let store = EmbeddedStore::open(&files.directory.path().join(cell)).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(store.erase(&ShopperId::new("s").unwrap(), 2_000)).unwrap();
    }
    let report = import(&files.options(cell, Times::ShiftedToNow)).unwrap();
    assert_eq!((report.events, report.events_erased, report.events_not_taken), (1, 1, 1));
    let row = read(&files.directory.path().join(cell), "s").unwrap();
    assert_eq!(row.profile.items.iter().map(|h| &*h.item).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn an_empty_history_is_refused_and_leaves_the_store_alone() {
    let files = Files::new("s,a,view,1000\n", "s,de-DE\n");
    let cell = ["eu-a", "eu-b"]
        .into_iter()
        .find(|cell| import(&files.options(cell, Times::AsTheyAre)).unwrap().shoppers == 1)
        .unwrap();
    std::fs::write(files.directory.path().join("history.csv"), HISTORY).unwrap();
    let failure = import(&files.options(cell, Times::ShiftedToNow)).unwrap_err();
    assert_eq!(failure.exit, Exit::Import);
    assert!(failure.to_string().contains("expected at least one event, found none"), "{failure}");
    std::fs::write(files.directory.path().join("assignments.csv"), ASSIGNMENTS).unwrap();
    let failure = import(&files.options(cell, Times::ShiftedToNow)).unwrap_err();
    assert!(failure.to_string().contains("expected at least one assignment, found none"), "{failure}");
    assert!(read(&files.directory.path().join(cell), "s").is_some());
}

#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let files = Files::new("s,a,view,1000\n", "s,de-DE\n");
    for (name, option) in [("history.csv", "--history"), ("assignments.csv", "--assignments")] {
        let path = files.directory.path().join(name);
        let kept = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let line = files.refused();
        assert!(line.contains(name) && line.contains("no regular file") && line.contains(option), "{line}");
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, kept).unwrap();
    }
}

#[test]
fn a_missing_file_and_another_header_are_named() {
    let files = Files::new("", "s,de-DE\n");
    std::fs::write(files.directory.path().join("history.csv"), "a,b\n").unwrap();
    assert!(files.refused().contains("line 1: expected the header shopper,item,kind,time_s"));
    std::fs::remove_file(files.directory.path().join("history.csv")).unwrap();
    assert!(files.refused().contains("history.csv: expected a readable file"));
    let failure = import(&files.options("eu-x", Times::AsTheyAre)).unwrap_err();
    assert!(failure.to_string().contains("it has eu-a, eu-b"));
}
