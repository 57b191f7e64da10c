//! What is personal stays in the cells of its class.

use std::path::Path;
use std::process::Command;

use domicile_cluster::paths;
use domicile_tests::http;
use domicile_tests::world::World;
use domicile_wire::{Reply, Request};

use super::refusals::problem;

pub(crate) fn no_pin_opens_a_cell_outside_its_class(world: &World) {
    let shopper = world.shopper("de-DE", "eu-a").unwrap();
    let good = world.request(shopper, "de-DE", "home").unwrap();
    for class in &world.topology.classes {
        for cell in world.topology.cells.iter().filter(|c| !class.allows(c.id)) {
            let pin = world.pin(&class.name, 0).unwrap();
            let request = Request { pin: pin.clone(), ..good.clone() };
            let (sealed, opener) = world.seal(&cell.name, &request.encode()).unwrap();
            let path = format!("/v1/sealed/{pin}/{}/de-DE/home", cell.name);
            let answer = http::send(world.edge(), "POST", &path, &[], &sealed).unwrap();
            assert_eq!((answer.status, answer.code().as_str()), (403, "cell-not-in-class"), "{path}");

            // Past the edge, straight at the cell: it holds the same line by itself.
            let authority = world.cell(&cell.name).unwrap();
            let typed = [("content-type", domicile_seal::REQUEST_TYPE)];
            let direct = http::send(&authority, "POST", "/gateway", &typed, &sealed).unwrap();
            assert_eq!(direct.status, 200);
            let reply = Reply::decode(&opener.open(&direct.body).unwrap()).unwrap();
            let code = problem(&reply).code;
            assert_eq!(
                (code.as_str(), reply.status),
                ("cell-not-in-class", 421),
                "{} at {}",
                class.name,
                cell.name
            );
        }
    }
}

pub(crate) fn a_locale_without_a_cell_is_list_only(world: &World) {
    let (shopper, _) = world.shoppers.iter().find(|(_, locale)| locale == "en-GB").unwrap();
    let mut rank = Command::new(paths::binary("domicile"));
    rank.args([
        "rank",
        "--json",
        "--edge",
        world.cluster.edge_url(),
        "--identity",
        world.cluster.identity_url(),
        "--locale",
        "en-GB",
        "--shopper",
        shopper,
    ]);
    rank.arg("--root-key").arg(domicile_cluster::cluster::demo_file("keys/root.jwk"));
    let said = domicile_cluster::process::capture(&mut rank).unwrap();
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["outcome"], "list");
    assert_eq!(said["list"]["items"].as_array().unwrap().len(), 24);
}

/// A second import into a scratch store tells how many shoppers each cell takes: all of its own and no other.
pub(crate) fn each_history_lies_in_one_cell_only(world: &World) {
    let setup = world.cluster.setup();
    let mut taken = 0;
    for cell in &world.topology.cells {
        let store = tempfile::tempdir().unwrap();
        let report = import(world, &cell.name, store.path());
        let here = report["shoppers"].as_u64().unwrap();
        let expected = world.shoppers.iter().filter(|(shopper, locale)| {
            let class = world.topology.locale_named(locale).unwrap().class;
            world.topology.home_cell(class, shopper) == Some(cell.id)
        });
        assert_eq!(here, expected.count() as u64, "{}", cell.name);
        taken += here;
    }
    let without = world.shoppers.iter().filter(|(_, locale)| locale == "en-GB").count() as u64;
    assert_eq!(taken + without, world.shoppers.len() as u64, "{}", setup.folder.display());
}

fn import(world: &World, cell: &str, store: &Path) -> serde_json::Value {
    let setup = world.cluster.setup();
    let mut import = Command::new(paths::binary("domicile-cell"));
    import
        .args(["import", "--json", "--shift-to-now", "--cell", cell, "--topology"])
        .arg(world.cluster.topology());
    import.arg("--history").arg(&setup.history).arg("--assignments").arg(&setup.assignments);
    let said = domicile_cluster::process::capture(import.arg("--store").arg(store)).unwrap();
    serde_json::from_str(&said).unwrap()
}
