use domicile_route::KeyStatement;
use domicile_seal::config::{PublicConfig, read_list};
use domicile_seal::{Sealer, size};

use super::*;

const START: i64 = 1_800_000_000;
const DAY: i64 = 86_400;
const OVERLAP: i64 = 14_400;
const PLACE: Place<'static> = Place { cell: "eu-a", owner: "eu-a in eu", named: &[], reach: Reach::Loopback };

struct Desk {
    directory: tempfile::TempDir,
    config: Seal,
    verifying: VerifyingKey,
}

impl Desk {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let signer = SigningKey::generate();
        let (keys, jwk) = (directory.path().join("keys"), directory.path().join("cell.jwk"));
        std::fs::write(&jwk, signer.to_jwk()).unwrap();
        let config = toml::from_str(&format!("key_dir = {keys:?}\nsigning_key = {jwk:?}")).unwrap();
        Self { directory, config, verifying: signer.verifying_key() }
    }

    fn open(&self, now_s: i64) -> Sealing {
        Sealing::open(&self.config, PLACE, now_s).unwrap().0
    }

    fn offered(&self, sealing: &Sealing, now_s: i64) -> Vec<PublicConfig> {
        let bytes = sealing.current().statement.clone().unwrap();
        let text = std::str::from_utf8(&bytes).unwrap();
        let statement =
            KeyStatement::open(text, "eu-a", std::slice::from_ref(&self.verifying), now_s).unwrap();
        read_list(&statement.list().unwrap()).unwrap()
    }

    fn files(&self) -> usize {
        let names = std::fs::read_dir(self.directory.path().join("keys"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_str().is_some_and(|name| name.starts_with("seal-"))).count()
    }
}

fn sealed(configs: &[PublicConfig], kem: Kem) -> Vec<u8> {
    Sealer::new(configs, Some(kem)).unwrap().seal(b"x").unwrap().0
}

#[test]
fn keys_are_made_offered_accepted_through_the_overlap_and_deleted() {
    let desk = Desk::new();
    let (sealing, first) = Sealing::open(&desk.config, PLACE, START).unwrap();
    assert_eq!((first.made, first.deleted, first.failed.len()), (2, 0, 0));
    let old = desk.offered(&sealing, START);
    assert_eq!(old.iter().map(|config| config.kem).collect::<Vec<_>>(), Kem::ALL);
    assert!(!sealing.is_due(START + 7_199) && sealing.is_due(START + 7_200), "the statement at half");
    assert_eq!(sealing.turn(START + 7_200), Turn::default());
    assert!(desk.offered(&sealing, START + 7_200 + OVERLAP - 1) == old, "signed anew");

    let turn = sealing.turn(START + DAY);
    assert_eq!((turn.made, turn.deleted), (2, 0));
    let new = desk.offered(&sealing, START + DAY);
    assert!(new.iter().all(|config| !old.contains(config)));
    for kem in Kem::ALL {
        assert!(
            sealing.current().open(&sealed(&old, kem)).is_ok()
                && sealing.current().open(&sealed(&new, kem)).is_ok()
        );
    }
    let over = sealing.turn(START + DAY + OVERLAP);
    assert_eq!((over.made, over.deleted, desk.files()), (0, 2, 2));
    assert_eq!(sealing.current().open(&sealed(&old, Kem::X25519)).err(), Some(SealRefusal::UnknownKey));

    let again = desk.open(START + DAY + OVERLAP);
    assert_eq!(desk.offered(&again, START + DAY + OVERLAP), new, "a restart makes nothing new");
}

#[cfg(unix)]
#[test]
fn a_key_file_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    desk.open(START);
    let directory = desk.directory.path().join("keys");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    for entry in std::fs::read_dir(directory).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

fn full(path: &Path, _: &[u8]) -> Result<(), domicile_files::WriteError> {
    let source = std::io::ErrorKind::StorageFull.into();
    Err(domicile_files::WriteError::System { path: path.to_owned(), source })
}

#[cfg(unix)]
#[test]
fn what_others_may_read_is_said_with_its_remedy() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let exposed = || Sealing::open(&desk.config, PLACE, START).unwrap().1.exposed;
    set(&desk.config.signing_key, 0o600);
    assert_eq!(exposed(), [""; 0]);
    set(&desk.config.signing_key, 0o640);
    set(&desk.config.key_dir, 0o750);
    let found = exposed();
    assert!(found[0].contains("cell.jwk: ") && found[0].ends_with("`chmod 0600` it"), "{found:?}");
    assert!(found[1].contains("keys: ") && found[1].ends_with("`chmod 0700` it"), "{found:?}");
    // Everybody has this one.
    let published = include_str!("../../../deploy/demo/keys/edge.jwk");
    std::fs::write(&desk.config.signing_key, published).unwrap();
    assert_eq!(exposed().len(), 1, "{:?}", exposed());
}

#[test]
fn a_signing_key_that_clients_or_everybody_would_know_better_is_refused() {
    let desk = Desk::new();
    let refused = |place| Sealing::open(&desk.config, place, START).err().unwrap();
    let other = SigningKey::generate().verifying_key();
    let wrong = refused(Place { named: std::slice::from_ref(&other), ..PLACE });
    assert_eq!(wrong.exit, Exit::Config);
    let (line, own) = (wrong.to_string(), desk.verifying.id().to_string());
    let parts = ["cell.jwk: ", own.as_str(), "clients would refuse", "\"eu-a\""];
    assert!(parts.iter().all(|part| line.contains(part)) && line.contains(&other.id().to_string()), "{line}");
    assert!(!desk.config.key_dir.exists(), "nothing is made before");
    let right = Place { named: std::slice::from_ref(&desk.verifying), reach: Reach::Beyond, ..PLACE };
    assert!(Sealing::open(&desk.config, right, START).is_ok());

    std::fs::write(&desk.config.signing_key, include_str!("../../../deploy/demo/keys/edge.jwk")).unwrap();
    assert!(Sealing::open(&desk.config, PLACE, START).is_ok());
    let public = refused(Place { reach: Reach::Beyond, ..PLACE });
    assert_eq!(public.exit, Exit::Listen);
    assert!(public.to_string().contains("the demo's key 8e779b5c47d9eccc"), "{public}");
}

#[test]
fn a_clock_that_is_behind_the_keys_deletes_none() {
    let desk = Desk::new();
    let right = desk.offered(&desk.open(START), START);
    let early = START - 365 * DAY;
    let (sealing, turn) = Sealing::open(&desk.config, PLACE, early).unwrap();
    assert_eq!((turn.made, turn.deleted, turn.failed.len(), desk.files()), (2, 0, 0, 4), "{turn:?}");
    assert!(desk.offered(&sealing, early).iter().all(|config| !right.contains(config)));
    assert!(!sealing.is_due(early + 1));
    // The clock is set.
    let turn = sealing.turn(START + 1);
    assert_eq!((turn.made, turn.deleted, desk.files()), (0, 2, 2), "{turn:?}");
    assert_eq!(desk.offered(&sealing, START + 1), right);
}

#[test]
fn a_key_has_one_file_name() {
    let desk = Desk::new();
    desk.open(START);
    let keys = &desk.config.key_dir;
    let names = ["seal-0.json", "seal-+00.json", "seal-0000.json"];
    for name in names {
        std::fs::copy(keys.join("seal-000.json"), keys.join(name)).unwrap();
    }
    let (sealing, turn) = Sealing::open(&desk.config, PLACE, START + 1).unwrap();
    assert_eq!((turn.made, turn.failed.len()), (0, names.len()), "{turn:?}");
    assert!(turn.failed[0].ends_with("the file of key 0 is named seal-000.json"), "{turn:?}");
    assert_eq!(desk.offered(&sealing, START + 1).len(), 2);
}

#[test]
fn a_key_made_by_hand_is_offered_at_the_next_look_and_one_taken_away_is_gone() {
    let desk = Desk::new();
    let sealing = desk.open(START);
    let old = desk.offered(&sealing, START);
    assert!(!sealing.is_due(START + 1));
    let operator = KeyFiles::new(&desk.config.key_dir);
    let made = operator.make(9, Kem::X25519, START + 1).unwrap();
    assert!(sealing.is_due(START + 1));
    assert_eq!(sealing.turn(START + 1), Turn::default());
    let new = desk.offered(&sealing, START + 1);
    assert_eq!(new.iter().map(|config| config.id).collect::<Vec<_>>(), [made.id(), old[1].id]);
    let opens = |configs: &[PublicConfig]| sealing.current().open(&sealed(configs, Kem::X25519)).is_ok();
    assert!(opens(&old) && opens(&new) && !sealing.is_due(START + 1));

    // The next of this kind comes a day after it, the old one stays for the day and the overlap.
    assert_eq!(sealing.turn(START + DAY).made, 1, "of the other kind alone");
    operator.delete(old[0].id).unwrap();
    assert!(sealing.is_due(START + DAY));
    sealing.turn(START + DAY);
    assert!(!opens(&old) && opens(&new));
}

#[test]
fn who_is_second_to_make_a_key_goes_by_the_first_one_s() {
    let desk = Desk::new();
    let sealing = desk.open(START);
    let next = sealing.current().ids.last().unwrap() + 1;
    let first: fn(&Path, &[u8]) -> _ =
        |path, _| Err(domicile_files::WriteError::Taken { path: path.to_owned() });
    let files = KeyFiles::written_by(&desk.config.key_dir, first);
    let (late, _) = Sealing::with_files(&desk.config, files, PLACE, START).unwrap();
    let turn = late.turn(START + DAY);
    assert_eq!((turn.made, turn.failed.len()), (0, 0), "{turn:?}");
    assert!(late.is_due(START + DAY), "it looks again at once");
    KeyFiles::new(&desk.config.key_dir).make(next, Kem::X25519, START + DAY).unwrap();
    late.turn(START + DAY);
    assert_eq!(desk.offered(&late, START + DAY)[0].id, next);
}

/// Ends at all: nobody writes to the pipe.
#[cfg(unix)]
#[test]
fn a_pipe_in_a_key_s_place_holds_nothing_up() {
    let desk = Desk::new();
    let sealing = desk.open(START);
    let before = desk.offered(&sealing, START);
    let pipe = |path: &Path| {
        std::fs::remove_file(path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    pipe(&desk.config.key_dir.join("seal-000.json"));
    let turn = sealing.turn(START + 1);
    assert!(turn.failed[0].contains("key 0: a pipe, no regular file"), "{turn:?}");
    assert_eq!(desk.offered(&sealing, START), before);
    pipe(&desk.config.signing_key);
    let line = Sealing::open(&desk.config, PLACE, START).err().unwrap().to_string();
    assert!(line.contains("cell.jwk: expected a readable file, found a pipe"), "{line}");
}

#[test]
fn a_full_disk_at_rotation_leaves_the_keys_there_are_for_the_overlap() {
    let desk = Desk::new();
    desk.open(START);
    let files = KeyFiles::written_by(&desk.config.key_dir, full);
    let (sealing, _) = Sealing::with_files(&desk.config, files, PLACE, START + 1).unwrap();
    let old = desk.offered(&sealing, START + 1);
    let turn = sealing.turn(START + DAY);
    assert_eq!((turn.made, turn.failed.len()), (0, 2), "{turn:?}");
    assert!(turn.failed[0].contains("make a x25519 key"), "{turn:?}");
    assert_eq!(desk.offered(&sealing, START + DAY), old, "still offered");
    assert!(sealing.current().open(&sealed(&old, Kem::P256)).is_ok());
    assert!(sealing.is_due(START + DAY + RETRY_S) && !sealing.is_due(START + DAY + RETRY_S - 1));
    sealing.turn(START + DAY + OVERLAP);
    assert!(sealing.current().statement.is_none());
    assert_eq!(sealing.current().open(&sealed(&old, Kem::P256)).err(), Some(SealRefusal::UnknownKey));

    let empty = Desk::new();
    let files = KeyFiles::written_by(&empty.config.key_dir, full);
    let line = Sealing::with_files(&empty.config, files, PLACE, START).err().unwrap().to_string();
    assert!(line.contains("no sealing key: make a x25519 key"), "{line}");
}

#[test]
fn two_cells_with_one_key_id_tell_each_other_s_requests_apart() {
    let (one, two) = (Desk::new(), Desk::new());
    let (a, b) = (one.open(START), two.open(START));
    let (of_a, of_b) = (one.offered(&a, START), two.offered(&b, START));
    assert_eq!(of_a[0].id, of_b[0].id);
    let request = sealed(&of_b, Kem::X25519);
    assert_eq!(request.len(), size::REQUEST);
    assert_eq!(a.current().open(&request).err(), Some(SealRefusal::Broken));
    assert!(b.current().open(&request).is_ok());
}

#[test]
fn a_broken_key_file_costs_itself_and_says_so() {
    let desk = Desk::new();
    desk.open(START);
    let file = desk.config.key_dir.join("seal-000.json");
    std::fs::write(&file, "{\"seed\":\"secret\"}").unwrap();
    let (sealing, turn) = Sealing::open(&desk.config, PLACE, START + 1).unwrap();
    assert!(turn.failed[0].starts_with("key 0: ") && !turn.failed[0].contains("secret"), "{turn:?}");
    assert_eq!(desk.offered(&sealing, START + 1).len(), 2);
    assert!(std::fs::read_to_string(file).unwrap().contains("secret"), "it is left for who can mend it");
}

#[test]
fn what_cannot_be_read_for_a_while_takes_no_key_away() {
    let desk = Desk::new();
    let sealing = desk.open(START);
    let before = desk.offered(&sealing, START);
    let keys = &desk.config.key_dir;

    // A file of a live key: the key in memory serves on.
    let file = keys.join("seal-000.json");
    let good = std::fs::read(&file).unwrap();
    std::fs::write(&file, "{").unwrap();
    let turn = sealing.turn(START + 1);
    assert_eq!((turn.made, turn.deleted, turn.failed.len()), (0, 0, 1), "{turn:?}");
    assert_eq!(desk.offered(&sealing, START + 1), before);
    std::fs::write(&file, good).unwrap();

    // The whole directory: nothing is made over what is not known, and it is looked at again soon.
    let aside = desk.directory.path().join("aside");
    std::fs::rename(keys, &aside).unwrap();
    assert!(!sealing.is_due(START + 1), "no directory is no other set of keys");
    let turn = sealing.turn(START + 1);
    assert_eq!((turn.made, turn.deleted, turn.failed.len()), (0, 0, 1), "{turn:?}");
    assert!(turn.failed[0].starts_with("read the keys: ") && !keys.exists(), "{turn:?}");
    assert_eq!(desk.offered(&sealing, START + 1), before);
    std::fs::write(keys, "no directory").unwrap();
    let turn = sealing.turn(START + DAY);
    assert_eq!((turn.made, turn.deleted, turn.failed.len()), (0, 0, 1), "{turn:?}");
    assert!(turn.failed[0].starts_with("read the keys: "), "{turn:?}");
    for kem in Kem::ALL {
        assert!(sealing.current().open(&sealed(&before, kem)).is_ok());
    }
    assert!(sealing.is_due(START + DAY + RETRY_S) && !sealing.is_due(START + DAY + RETRY_S - 1));
    std::fs::remove_file(keys).unwrap();
    std::fs::rename(&aside, keys).unwrap();
    assert_eq!(sealing.turn(START + DAY + RETRY_S).made, 2);
}

#[test]
fn an_empty_folder_in_the_place_of_the_keys_takes_none_away_and_gets_none() {
    let desk = Desk::new();
    let sealing = desk.open(START);
    let old = desk.offered(&sealing, START);
    let (keys, away) = (desk.directory.path().join("keys"), desk.directory.path().join("away"));
    std::fs::rename(&keys, &away).unwrap();
    std::fs::create_dir(&keys).unwrap();
    assert!(!sealing.is_due(START + 10), "nothing was made or deleted");
    let turn = sealing.turn(START + DAY);
    assert_eq!((turn.made, turn.deleted, turn.failed.len()), (0, 0, 1));
    assert!(turn.failed[0].contains("is its disk mounted?"), "{turn:?}");
    assert_eq!(desk.files(), 0, "no second key of an id that is taken");
    assert!(sealing.current().open(&sealed(&old, Kem::X25519)).is_ok());
    // Mounted again.
    std::fs::remove_dir(&keys).unwrap();
    std::fs::rename(&away, &keys).unwrap();
    let turn = sealing.turn(START + DAY + 60);
    assert_eq!((turn.made, turn.deleted, turn.failed.len(), desk.files()), (2, 0, 0, 4));
    assert!(sealing.current().open(&sealed(&old, Kem::X25519)).is_ok());
}

#[test]
fn another_cell_s_keys_are_refused() {
    let desk = Desk::new();
    desk.open(START);
    let other = Place { cell: "us-a", owner: "us-a in us", ..PLACE };
    let refused = Sealing::open(&desk.config, other, START).err().unwrap();
    assert_eq!(refused.exit, Exit::Config);
    let line = refused.to_string();
    assert!(line.contains("the keys of eu-a in eu, and this is us-a in us"), "{line}");
}

#[test]
fn a_clock_put_back_is_looked_at_again() {
    let desk = Desk::new();
    let sealing = desk.open(START);
    assert!(!sealing.is_due(START) && sealing.is_due(START - 1));
}

#[test]
fn a_date_is_fresh_within_the_window_on_both_sides() {
    let sealing = Desk::new().open(START);
    assert!(sealing.is_fresh(START - 120, START) && sealing.is_fresh(START + 120, START));
    assert!(!sealing.is_fresh(START - 121, START) && !sealing.is_fresh(START + 300, START));
    assert!(!sealing.is_fresh(i64::MIN, START));
}

#[test]
fn what_cannot_be_read_for_long_is_accepted_no_longer_than_its_overlap() {
    let desk = Desk::new();
    let sealing = desk.open(START);
    let old = desk.offered(&sealing, START);
    std::fs::rename(&desk.config.key_dir, desk.directory.path().join("aside")).unwrap();
    std::fs::write(&desk.config.key_dir, "no directory").unwrap();
    let end = START + DAY + OVERLAP;
    sealing.turn(end - 1);
    assert!(sealing.current().open(&sealed(&old, Kem::X25519)).is_ok());
    assert_eq!(desk.offered(&sealing, end - 1), old, "stated anew from memory");
    sealing.turn(end);
    assert!(sealing.current().statement.is_none());
    assert_eq!(sealing.current().open(&sealed(&old, Kem::X25519)).err(), Some(SealRefusal::UnknownKey));
}
