use std::path::Path;

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for text in ["a longer text", "short"] {
        write_whole(&file, text.as_bytes(), Access::Everyone).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn what_is_not_placed_leaves_everything_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    write_whole(&file, b"old", Access::Everyone).unwrap();
    let partial = Partial::write(&file, b"new", Access::Everyone).unwrap();
    assert_eq!(names(folder.path()).len(), 2);
    drop(partial);
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn what_is_made_new_is_never_written_over_another() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    // Both are written before either is placed: looking first would let both through.
    let first = Partial::write(&file, b"first", Access::Owner).unwrap();
    let other = folder.path().join("other");
    fs::write(&other, "second").unwrap();
    fs::rename(&other, &file).unwrap();
    let error = first.place_new().unwrap_err();
    assert!(matches!(error, WriteError::Taken { .. }), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "second");
    fs::remove_file(&file).unwrap();
    Partial::write(&file, b"third", Access::Owner).unwrap().place_new().unwrap();
    assert_eq!(
        (fs::read_to_string(&file).unwrap().as_str(), names(folder.path())),
        ("third", vec!["file".to_owned()])
    );
}

#[test]
fn a_missing_folder_is_named_with_its_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let error = write_whole(&folder.path().join("no/file"), b"", Access::Everyone).unwrap_err().to_string();
    assert!(error.contains("no/file") && error.ends_with("make its folder first"), "{error}");
    let error = write_whole(Path::new(".."), b"", Access::Everyone).unwrap_err().to_string();
    assert!(error.ends_with("name a file in it"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_secret_is_its_owner_s_alone_whatever_lay_beside_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("key"), folder.path().join("other"));
    fs::write(&other, "kept").unwrap();
    // What is being written has no name that anybody could lay a link at before.
    let [one, two] = [(); 2].map(|()| Partial::write(&file, b"secret", Access::Owner).unwrap());
    let [first, second] = [one.beside.clone(), two.beside.clone()];
    assert_ne!(first, second);
    drop(one);
    two.place().unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(other).unwrap(), "kept");
    assert_eq!(names(folder.path()), ["key", "other"]);
}

#[test]
fn what_a_process_left_that_is_gone_is_swept_up_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (name, is_old) in [
        (".key.00000000deadbeef.partial", true),
        (".key.00000000deadbee1.partial", false),
        (".key.notes.partial", true),
        (".keys.00000000deadbeef.partial", true),
        ("old", true),
    ] {
        let file = File::create(folder.path().join(name)).unwrap();
        if is_old {
            file.set_modified(old).unwrap();
        }
    }
    write_whole(&folder.path().join("key"), b"secret", Access::Owner).unwrap();
    let left = [
        ".key.00000000deadbee1.partial",
        ".key.notes.partial",
        ".keys.00000000deadbeef.partial",
        "key",
        "old",
    ];
    assert_eq!(names(folder.path()), left);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (link, target) = (folder.path().join("link"), folder.path().join("target"));
    fs::write(&target, "kept").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let refusal = |path: &Path| write_whole(path, b"", Access::Everyone).unwrap_err().to_string();
    assert!(refusal(&link).ends_with("name the file it points to"), "{}", refusal(&link));
    assert_eq!(refusal(Path::new("/dev/null")), "/dev/null is a device; name a file");
    assert!(link.is_symlink() && fs::read_to_string(target).unwrap() == "kept");
}
