//! That nothing a command writes goes over what it is made from, or over another thing it writes: a key would be gone
//! for good, and of two results one. Every command that reads files and writes some asks here.
//!
//! Places are compared and not their names: two paths may lead to one file, and one that is not there yet has to be
//! found where it will be.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// A file with the flag that names it.
pub(crate) type Named = (&'static str, PathBuf);

/// Refuses outputs that are an input or another output.
pub(crate) fn ensure_none(inputs: &[Named], outputs: &[Named]) -> anyhow::Result<()> {
    let placed = |named: &[Named]| named.iter().map(|(_, path)| place(path)).collect::<Vec<_>>();
    let (read, written) = (placed(inputs), placed(outputs));
    for (at, ((flag, path), found)) in outputs.iter().zip(&written).enumerate() {
        let over = inputs.iter().zip(&read).find(|(_, input)| *input == found);
        if let Some(((input, over), _)) = over {
            anyhow::bail!(
                "{flag} {} would be written over {input} {}; name another place with {flag}",
                path.display(),
                over.display()
            );
        }
        let twice = outputs.iter().zip(&written).take(at).find(|(_, earlier)| *earlier == found);
        if let Some(((other, _), _)) = twice {
            anyhow::bail!(
                "{other} and {flag} are both {}; name another place with one of them",
                path.display()
            );
        }
    }
    Ok(())
}

/// Where a path leads: as far as it exists, by what lies there, and from there on by its words.
fn place(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut there = path.as_path();
    let mut rest: Vec<OsString> = Vec::new();
    loop {
        if let Ok(found) = there.canonicalize() {
            return rest.iter().rev().fold(found, |place, part| place.join(part));
        }
        match (there.parent(), there.components().next_back()) {
            (Some(parent), Some(Component::Normal(name))) => {
                rest.push(name.to_owned());
                there = parent;
            }
            // `..` behind what does not exist: no file can be made there, so it is nobody's place.
            _ => return path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_one_by_whatever_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("real")).unwrap();
        std::fs::write(at("real/key"), "").unwrap();
        std::os::unix::fs::symlink(at("real"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("real/key"), at("alias")).unwrap();
        for (one, other) in [
            ("real/key", "link/key"),
            ("real/key", "alias"),
            ("real/key", "real/../real/./key"),
            ("real/none/there", "link/none/there"),
        ] {
            assert_eq!(place(&at(one)), place(&at(other)), "{one}, {other}");
        }
        assert_ne!(place(&at("real/key")), place(&at("real/keys")));
    }

    #[test]
    fn both_flags_are_named() {
        let said =
            |inputs: &[Named], outputs: &[Named]| ensure_none(inputs, outputs).unwrap_err().to_string();
        let (a, b) = (PathBuf::from("/a"), PathBuf::from("/b"));
        assert!(ensure_none(&[("--key", a.clone())], &[("--out", b.clone())]).is_ok());
        assert_eq!(
            said(&[("--key", a.clone())], &[("--out", a.clone())]),
            "--out /a would be written over --key /a; name another place with --out"
        );
        assert_eq!(
            said(&[], &[("--out", b.clone()), ("--spin-toml", b)]),
            "--out and --spin-toml are both /b; name another place with one of them"
        );
    }
}
