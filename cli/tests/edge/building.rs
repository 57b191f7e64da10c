//! What is built, and what is refused before anything is written.

use std::process::{Command, Stdio};

use crate::world::{
    MINUTE, World, domicile, ends, key, modules, refused, repository, succeeds, with, without,
};

#[test]
fn a_build_says_what_it_made_and_until_when_it_serves() {
    let world = World::new();
    let said = succeeds(world.build().arg("--snapshot").arg(repository("models/demo/manifest.dsse.json")));
    // Thirty days of pins: epoch 20863 is the last to begin, and pins overlap by four hours.
    assert!(said.contains("serves until  2027-02-15T04:00:00Z"), "{said}");
    assert!(said.contains("routes        until 2028-01-15T08:00:00Z"), "{said}");
    assert!(said.contains("topology      serial 1") && !said.contains("compared with nothing"), "{said}");
    assert!(world.at("edge.manifest.dsse.json").is_file());
    assert!(succeeds(&mut world.build()).contains("compared with nothing"), "no snapshot was given");
}

#[test]
fn the_same_inputs_make_the_same_bytes() {
    let world = World::new();
    let read = |name: &str| std::fs::read(world.at(name)).unwrap();
    succeeds(&mut world.build());
    let first = (read("edge.wasm"), read("edge.manifest.dsse.json"));
    succeeds(&mut world.build());
    assert!(first == (read("edge.wasm"), read("edge.manifest.dsse.json")));
}

#[test]
fn a_topology_has_to_be_signed_by_a_root_key() {
    let world = World::new();
    refused(
        &mut with(&world.build(), "--root-key", &key("snapshot")),
        &["topology", "no signature by a trusted key", "`domicile topology sign`"],
    );
    refused(
        &mut with(&world.build(), "--topology", &world.at("topology.toml")),
        &["topology.toml", "not a DSSE envelope", "`domicile topology sign`"],
    );
    // The successor is trusted beside it.
    succeeds(with(&world.build(), "--root-key", &key("snapshot")).arg("--root-key").arg(key("root")));
    assert!(world.at("edge.wasm").is_file());
}

#[test]
fn route_manifests_are_the_topology_s_own_or_none() {
    let world = World::new();
    let text = std::fs::read_to_string(world.at("topology.toml")).unwrap();
    let sign = |routes: &str, text: &str, minute: &str, signer: &str| {
        std::fs::write(world.at("mine.toml"), text).unwrap();
        let mut sign = domicile(&["topology", "sign", "--minute", minute, "--key"]);
        sign.arg(key(signer)).arg("--out").arg(world.at("mine.json")).arg(world.at("mine.toml"));
        succeeds(sign.arg("--routes").arg(world.at(routes)));
        with(&world.build(), "--routes", &world.at(routes))
    };
    let minute = MINUTE.to_string();
    refused(
        &mut sign("older", &text.replace("serial = 1", "serial = 0"), &minute, "root"),
        &["route-eu_only.dsse.json", "versions differ", "`domicile topology sign --routes`"],
    );
    refused(
        &mut sign("heavier", &text.replace("weight = 3", "weight = 4"), &minute, "root"),
        &["route-eu_only.dsse.json", "manifest's cells differ"],
    );
    refused(&mut sign("over", &text, "29956800", "root"), &["held until 2027-01-15T08:00:00Z"]);
    refused(
        &mut with(&world.build(), "--routes", &world.at("nowhere")),
        &["cannot read", "route-eu_only.dsse.json"],
    );
    assert!(!world.at("edge.wasm").exists());
    // They are what ends first, thirty days after they were signed.
    let said = succeeds(&mut sign("month", &text, "29999999", "root"));
    assert!(said.contains("serves until  2027-02-14T07:59:00Z"), "{said}");
    let mut none = without(&world.build(), "--routes");
    ends(&mut none, 2);
    let said = succeeds(none.arg("--without-routes"));
    assert!(said.contains("routes        none") && said.contains("2027-02-15T04:00:00Z"), "{said}");
    let manifest = world.at("routes").join("route-eu_only.dsse.json");
    refused(&mut with(&world.build(), "--out", &manifest), &["would be written over"]);
}

#[test]
fn a_successor_s_topology_and_manifests_make_an_edge() {
    let world = World::new();
    let made = |name: &str| {
        succeeds(domicile(&["key", "sign", "new", "--out"]).arg(world.at(name)));
        world.at(name)
    };
    let (successor, other) = (made("successor.jwk"), made("other.jwk"));
    let mut sign = domicile(&["topology", "sign", "--minute", &MINUTE.to_string(), "--key"]);
    sign.arg(&successor).arg("--out").arg(world.at("mine.json")).arg(world.at("topology.toml"));
    succeeds(sign.arg("--routes").arg(world.at("mine")));
    let build =
        with(&with(&world.build(), "--topology", &world.at("mine.json")), "--routes", &world.at("mine"));
    // Carried beside the root key, then alone; and not before it is carried.
    succeeds(with(&build, "--root-key", &key("root")).arg("--root-key").arg(&successor));
    succeeds(&mut with(&build, "--root-key", &successor));
    refused(&mut with(&build, "--root-key", &key("root")), &["no signature by a trusted key"]);
    // A topology of the successor's with manifests of somebody else's.
    let mut sign = domicile(&["topology", "sign", "--minute", &MINUTE.to_string(), "--key"]);
    sign.arg(&other).arg("--out").arg(world.at("theirs.json")).arg(world.at("topology.toml"));
    succeeds(sign.arg("--routes").arg(world.at("theirs")));
    let mixed = with(&with(&build, "--root-key", &successor), "--routes", &world.at("theirs"));
    refused(&mut { mixed }, &["route-eu_only.dsse.json", "no signature by a trusted key"]);
}

#[test]
fn keys_have_to_be_listed_for_their_use() {
    let world = World::new();
    refused(
        &mut with(&world.build(), "--sign-key", &key("pin")),
        &["--sign-key", "not listed with use \"edge\""],
    );
    refused(
        &mut with(&world.build(), "--pin-key", &key("edge")),
        &["--pin-key", "not listed with use \"pin\""],
    );
    assert!(!world.at("edge.wasm").exists());
}

#[test]
fn nothing_it_is_made_from_is_written_over() {
    let world = World::new();
    let mine = world.at("edge.jwk");
    std::fs::copy(key("edge"), &mine).unwrap();
    let mut over = with(&with(&world.build(), "--sign-key", &mine), "--out", &mine);
    refused(&mut over, &["--out", "would be written over --sign-key", "edge.jwk; name another place"]);
    assert_eq!(std::fs::read(&mine).unwrap(), std::fs::read(key("edge")).unwrap());
}

/// What a build also writes: its manifest, its lock, Spin's files.
#[test]
fn nothing_it_writes_goes_over_an_input_or_another_result() {
    let world = World::new();
    let names = || {
        let entries = std::fs::read_dir(world.at(".")).unwrap().map(|entry| entry.unwrap().file_name());
        entries.collect::<std::collections::BTreeSet<_>>()
    };
    let text = std::fs::read(world.at("topology.dsse.json")).unwrap();
    std::fs::create_dir_all(world.at("deploy/spin")).unwrap();
    std::fs::write(world.at("deploy/spin/environment.toml"), &text).unwrap();
    std::fs::write(world.at("edge.manifest.dsse.json"), &text).unwrap();
    let before = names();
    let spin = |name: &str| {
        let mut build = world.build();
        build.arg("--spin-toml").arg(world.at(name));
        build
    };
    let topology = |build: &Command, name: &str| with(build, "--topology", &world.at(name));
    let environment = topology(&spin("spin.toml"), "deploy/spin/../spin/environment.toml");
    let over: [(Command, &[&str]); 5] = [
        (spin("edge.wasm"), &["--out and --spin-toml are both", "name another place with one of them"]),
        (spin("edge.manifest.dsse.json"), &["--out, its manifest and --spin-toml are both"]),
        (spin(".edge.wasm.lock"), &["--out, its lock and --spin-toml are both"]),
        (environment, &["--spin-toml, its environment", "would be written over --topology"]),
        (
            topology(&world.build(), "edge.manifest.dsse.json"),
            &["--out, its manifest", "would be written over --topology"],
        ),
    ];
    for (mut build, says) in over {
        refused(&mut build, says);
    }
    assert_eq!(names(), before, "nothing is written");
    assert_eq!(std::fs::read(world.at("deploy/spin/environment.toml")).unwrap(), text);
}

/// Each ends at all: nobody writes to the pipe.
#[test]
fn what_is_no_file_is_not_read() {
    let world = World::new();
    let pipe = world.at("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for flag in ["--topology", "--root-key", "--overlay", "--pin-key", "--sign-key"] {
        let says = ["cannot read", "pipe", "a pipe, no regular file; put the file itself there"];
        refused(&mut with(&world.build(), flag, &pipe), &says);
    }
    refused(&mut with(&world.build(), "--overlay", "/dev/zero".as_ref()), &["a device, no regular file"]);
    let folder = world.at("modules");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(modules().join("relay.wasm"), folder.join("relay.wasm")).unwrap();
    std::fs::copy(modules().join("router.wasm"), folder.join("router.wasm")).unwrap();
    std::fs::rename(&pipe, folder.join("popularity.wasm")).unwrap();
    refused(&mut with(&world.build(), "--modules", &folder), &["popularity.wasm", "a pipe, no regular file"]);
    let large = world.at("large.jwk");
    std::fs::write(&large, vec![b' '; 64 * 1024 + 1]).unwrap();
    refused(&mut with(&world.build(), "--pin-key", &large), &["large.jwk", "more than 65536 bytes"]);
}

#[test]
fn a_lock_that_is_no_file_is_refused() {
    let world = World::new();
    let elsewhere = world.at("elsewhere");
    std::os::unix::fs::symlink(&elsewhere, world.at(".edge.wasm.lock")).unwrap();
    refused(&mut world.build(), &[".edge.wasm.lock is a link or no file", "remove it"]);
    assert!(!elsewhere.exists());
}

#[test]
fn overlays_that_are_not_to_be_served_are_refused() {
    let world = World::new();
    let overlay = repository("lists/overlay.dsse.json");
    let payload = succeeds(domicile(&["overlay", "show"]).arg(&overlay));
    let (plain, foreign) = (world.at("overlay.json"), world.at("foreign.dsse.json"));
    std::fs::write(&plain, payload).unwrap();
    refused(&mut with(&world.build(), "--overlay", &plain), &["overlay.json", "not a DSSE envelope"]);
    let mut sign = domicile(&["overlay", "sign", "--key"]);
    succeeds(sign.arg(key("edge")).arg("--out").arg(&foreign).arg(&plain));
    refused(
        &mut with(&world.build(), "--overlay", &foreign),
        &["foreign.dsse.json", "no signature by a trusted key", "use \"overlay\""],
    );
    // 2028-01-01T00:00:00Z.
    refused(&mut with(&world.build(), "--minute", "30504960".as_ref()), &["held until 2027-12-31T00:00:00Z"]);
    refused(
        world.build().args(["--vocabulary", "sha256:another"]),
        &["its item vocabulary is", "\"sha256:another\" is needed", "publish an overlay of that vocabulary"],
    );
    refused(
        world.build().arg("--snapshot").arg(&overlay),
        &["snapshot", "application/vnd.domicile.overlay+json"],
    );
    assert!(!world.at("edge.wasm").exists());
}

#[test]
fn what_is_no_file_is_not_replaced() {
    let world = World::new();
    let (folder, pipe, link, target) =
        (world.at("folder"), world.at("pipe"), world.at("link"), world.at("target"));
    std::fs::create_dir(&folder).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::write(&target, "kept").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    refused(&mut with(&world.build(), "--out", &folder), &["folder is a folder"]);
    refused(&mut with(&world.build(), "--out", &pipe), &["pipe is a pipe; name a file"]);
    refused(&mut with(&world.build(), "--out", &link), &["link is a symbolic link"]);
    refused(&mut with(&world.build(), "--out", "/dev/null".as_ref()), &["/dev/null is a device"]);
    assert!(folder.is_dir() && pipe.exists() && link.is_symlink());
    assert_eq!(std::fs::read_to_string(target).unwrap(), "kept");
}

/// Whoever comes last, artefact and manifest are of one build.
#[test]
fn builds_that_race_never_mix() {
    let world = World::new();
    let builds: Vec<_> = (0..6)
        .map(|number| {
            let minute = (MINUTE + number * 1_440).to_string();
            with(&world.build(), "--minute", minute.as_ref()).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut build in builds {
        assert!(build.wait().unwrap().success());
    }
    succeeds(&mut world.audit(&key("edge")));
    let mut left: Vec<_> =
        std::fs::read_dir(world.at(".")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    let expected = [
        ".edge.wasm.lock",
        "edge.manifest.dsse.json",
        "edge.wasm",
        "routes",
        "topology.dsse.json",
        "topology.toml",
    ];
    assert_eq!(left, expected.map(std::ffi::OsString::from), "nothing half is left");
}

#[test]
fn topologies_are_checked_in_either_form() {
    let world = World::new();
    let check = |file: &str| {
        let mut command = domicile(&["topology", "check"]);
        command.arg(world.at(file));
        command
    };
    assert!(succeeds(&mut check("topology.toml")).contains("signature: not looked at"));
    assert!(succeeds(&mut check("topology.dsse.json")).contains("signature: not looked at"));
    let signed = succeeds(check("topology.dsse.json").arg("--root-key").arg(key("root")));
    assert!(signed.contains("signed by adeac91a34674c2e"), "{signed}");
    refused(
        check("topology.dsse.json").arg("--root-key").arg(key("pin")),
        &["signature", "no signature by a trusted"],
    );
    refused(check("topology.toml").arg("--root-key").arg(key("root")), &["not a DSSE envelope"]);
    let mut by_pin = domicile(&["topology", "sign", "--key"]);
    by_pin.arg(key("pin")).arg("--out").arg(world.at("by-pin")).arg(world.at("topology.toml"));
    refused(&mut by_pin, &["listed with use \"pin\""]);
}
