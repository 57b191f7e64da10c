//! Whether `wit/` still is what was published under its version.
//!
//! `wit/released/VERSION` is a copy of the package as it was published. Under the same version nothing may change, in
//! either direction; under a later compatible one (SemVer 2.0.0, item 4 and Cargo's reading of it: same leftmost number
//! that is not zero) what was built against the published one has to fit still.

use std::path::{Path, PathBuf};

use wit_component::semver_check;
use wit_parser::{Resolve, SourceMap, UnresolvedPackageGroup};

const WORLDS: [&str; 7] =
    ["router", "popularity", "relay", "edge", "router-source", "popularity-source", "relay-source"];

fn wit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit")
}

/// The texts of a package: ours, then what it needs.
fn texts(folder: &Path) -> [String; 3] {
    ["boundary.wit", "deps/wasi-http/types.wit", "deps/wasi-clocks/types.wit"]
        .map(|file| std::fs::read_to_string(folder.join(file)).unwrap())
}

/// The version after `package domicile:boundary@`.
fn version(texts: &[String; 3]) -> String {
    let line = texts[0].lines().find(|line| line.starts_with("package ")).unwrap();
    line.split('@').nth(1).unwrap().trim_end_matches(';').to_owned()
}

/// The same texts under versions of their own: one resolver holds no package twice. The check ignores versions.
fn renamed(texts: &[String; 3]) -> [String; 3] {
    let own = format!("@{}", version(texts));
    texts.clone().map(|text| text.replace(&own, "@9.0.0").replace("@0.3.0", "@9.0.0"))
}

fn push(resolve: &mut Resolve, texts: &[String; 3]) -> wit_parser::PackageId {
    let mut groups = texts.iter().map(|text| -> UnresolvedPackageGroup {
        let mut sources = SourceMap::default();
        sources.push_str("wit", text);
        sources.parse().map_err(|(_, error)| error).unwrap()
    });
    let main = groups.next().unwrap();
    resolve.push_groups(main, groups.collect()).unwrap()
}

/// What a component of the `old` package's world would trip over in the `new` one.
fn breaks(old: &[String; 3], new: &[String; 3]) -> Vec<&'static str> {
    let mut resolve = Resolve::default();
    let old = push(&mut resolve, &renamed(old));
    let new = push(&mut resolve, new);
    WORLDS
        .into_iter()
        .filter(|world| {
            let [old, new] = [old, new].map(|package| resolve.select_world(&[package], Some(world)).unwrap());
            semver_check(resolve.clone(), old, new).is_err()
        })
        .collect()
}

#[test]
fn the_published_package_still_fits() {
    let now = texts(&wit());
    let compatible = |text: &str| {
        let mut numbers = text.split('.');
        let (major, minor) = (numbers.next().unwrap().to_owned(), numbers.next().unwrap().to_owned());
        if major == "0" { format!("0.{minor}") } else { major }
    };
    let published = std::fs::read_dir(wit().join("released")).unwrap().map(|entry| entry.unwrap().path());
    let mut compared = 0;
    for folder in published {
        let then = texts(&folder);
        assert_eq!(folder.file_name().unwrap().to_str().unwrap(), version(&then));
        if compatible(&version(&then)) != compatible(&version(&now)) {
            continue;
        }
        assert_eq!(breaks(&then, &now), [""; 0], "{} breaks; give wit/ a new version", version(&then));
        if version(&then) == version(&now) {
            assert_eq!(
                breaks(&now, &then),
                [""; 0],
                "{} has changed; give wit/ a new version",
                version(&now)
            );
        }
        compared += 1;
    }
    assert!(compared > 0, "copy wit/ to wit/released/{}", version(&now));
}

#[test]
fn a_change_is_noticed() {
    let then = texts(&wit().join("released/0.2.0"));
    let altered = |file: usize, from: &str, to: &str| {
        let mut texts = then.clone();
        assert!(texts[file].contains(from), "{from}");
        texts[file] = texts[file].replacen(from, to, 1);
        breaks(&then, &texts)
    };
    let fewer = altered(0, "    path-too-long,\n", "");
    assert!(fewer.contains(&"router") && fewer.contains(&"relay"), "{fewer:?}");
    let wider = altered(0, "type cell-id = u8;", "type cell-id = u16;");
    assert!(wider.contains(&"router"), "{wider:?}");
    let http = altered(1, "type status-code = u16;", "type status-code = u32;");
    assert!(http.contains(&"edge") && !http.contains(&"router"), "{http:?}");
}
