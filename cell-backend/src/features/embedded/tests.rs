use super::*;
use crate::features::{Group, ItemHistory, Kind};

fn row() -> Row {
    let items = vec![ItemHistory::begin("4711", Kind::Purchase, 1_000)];
    Row { updated_s: 2_000, profile: Group { items }, ..Row::default() }
}

#[test]
fn a_store_stays_with_the_cell_that_claimed_it() {
    let directory = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(directory.path()).unwrap();
    store.claim(directory.path(), "eu-a in eu").unwrap();
    store.claim(directory.path(), "eu-a in eu").unwrap();
    let line = store.claim(directory.path(), "us-a in us").unwrap_err().to_string();
    assert!(line.contains("us-a in us") && line.contains("eu-a in eu"), "{line}");
}

#[test]
fn a_file_that_was_given_up_is_opened_anew_by_who_meets_it() {
    let directory = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(directory.path()).unwrap();
    store.begin_import().unwrap().write([("a", &row())].into_iter()).unwrap();
    // What the library says of itself once the system has refused it something.
    assert!(matches!(store_error(redb::Error::PreviousIo), StoreError::GivenUp));
    let shopper = ShopperId::new("a").unwrap();
    let give_up = || *store.file.write().unwrap() = File(None);
    give_up();
    assert!(matches!(store.read_now(&shopper), Err(StoreError::GivenUp)), "who meets it is told");
    assert_eq!(store.read_now(&shopper).unwrap(), Some(row()));
    // As long as it cannot be opened, everybody is told, and nobody waits.
    give_up();
    let (path, away) = (directory.path().join(FILE), directory.path().join("away"));
    std::fs::rename(&path, &away).unwrap();
    std::fs::create_dir(&path).unwrap();
    for _ in 0..2 {
        assert!(matches!(store.shoppers(), Err(StoreError::GivenUp)));
    }
    std::fs::remove_dir(&path).unwrap();
    std::fs::rename(&away, &path).unwrap();
    assert!(matches!(store.erase_now(&shopper, 1), Err(StoreError::GivenUp)));
    assert_eq!(store.erase_now(&shopper, 1).unwrap(), 1);
}

#[test]
fn rows_outlive_the_process_and_only_a_whole_import_is_served() {
    let directory = tempfile::tempdir().unwrap();
    let shopper = ShopperId::new("a").unwrap();
    {
        let store = EmbeddedStore::open(directory.path()).unwrap();
        let import = store.begin_import().unwrap();
        import.write([("a", &row())].into_iter()).unwrap();
    }
    let line = EmbeddedStore::open_complete(directory.path()).err().unwrap().to_string();
    assert!(line.contains("stopped half-way"), "{line}");
    {
        let store = EmbeddedStore::open(directory.path()).unwrap();
        let import = store.begin_import().unwrap();
        assert_eq!(store.shoppers().unwrap(), 0, "an import starts over");
        import.write([("a", &row())].into_iter()).unwrap();
        import.complete().unwrap();
    }
    let store = EmbeddedStore::open_complete(directory.path()).unwrap();
    assert_eq!(store.read_now(&shopper).unwrap(), Some(row()));
    assert_eq!(store.read_now(&ShopperId::new("b").unwrap()).unwrap(), None);
    let second = EmbeddedStore::open(directory.path()).err().unwrap();
    assert_eq!(second.exit, Exit::Store);
}

/// The file of a store with many rows, closed in order.
fn closed_store(directory: &Path) -> std::path::PathBuf {
    let store = EmbeddedStore::open(directory).unwrap();
    let import = store.begin_import().unwrap();
    let (names, row) = ((0..ROWS).map(|n| format!("s{n}")).collect::<Vec<_>>(), row());
    import.write(names.iter().map(|name| (name.as_str(), &row))).unwrap();
    import.complete().unwrap();
    directory.join(FILE)
}

/// Rows of [`closed_store`]: some hundred pages.
const ROWS: usize = 10_000;
const PAGE: usize = 4_096;

#[test]
fn damage_is_an_error_at_the_start_or_at_a_read_and_never_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let path = closed_store(directory.path());
    let whole = std::fs::read(&path).unwrap();
    let used = whole.chunks(PAGE).enumerate().filter(|(_, page)| page.iter().any(|&byte| byte != 0));
    let used: Vec<usize> = used.map(|(at, _)| at).collect();
    let (mut refused, mut unread) = (0, 0);
    for at in used.iter().skip(1).step_by((used.len() / 24).max(1)) {
        let mut damaged = whole.clone();
        damaged[at * PAGE..(at + 1) * PAGE].fill(0xff);
        std::fs::write(&path, &damaged).unwrap();
        match EmbeddedStore::open_checked(directory.path(), Check::Never) {
            Err(failure) => assert_eq!(failure.exit, Exit::Store),
            Ok(store) => {
                let failed = |n: usize| store.read_now(&ShopperId::new(&format!("s{n}")).unwrap()).is_err();
                unread += usize::from((0..ROWS).step_by(7).any(failed));
            }
        }
        std::fs::write(&path, &damaged).unwrap();
        if let Err(failure) = EmbeddedStore::open_complete(directory.path()) {
            assert_eq!(failure.exit, Exit::Store);
            let line = failure.to_string();
            assert!(line.contains("found a damaged one; put back a copy"), "{line}");
            refused += 1;
        }
    }
    assert!(refused >= 8, "only {refused} of the damaged files were refused at the start");
    assert!(unread >= 4, "only {unread} showed at the reads");
}

#[test]
fn what_is_no_store_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = closed_store(directory.path());
    let whole = std::fs::read(&path).unwrap();
    let line = || EmbeddedStore::open(directory.path()).err().unwrap().to_string();
    for (content, found) in [
        (&b""[..], "found an empty file; put back a copy"),
        (&[b'x'; 3 * PAGE][..], "found something else; point --store"),
        (b"short", "; "),
        (&whole[..whole.len() / 2], "found a damaged one; put back a copy"),
    ] {
        std::fs::write(&path, content).unwrap();
        assert!(line().contains(found), "{}", line());
    }
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(line().contains("found something else"), "{}", line());
    std::fs::remove_dir(&path).unwrap();
    assert!(EmbeddedStore::open(directory.path()).is_ok());
}
