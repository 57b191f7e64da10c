//! How many pins and paths there are among a hundred thousand shoppers: as many as there are places to be, not people.
//!
//! No process: what the identity service does for each shopper (`cli/src/identity/issuer.rs`: the class of the locale,
//! the home cell, the pin of the epoch) and where a client then sends to. That the real ones do so is seen by the
//! recorders (`sizes.rs`).

use std::collections::{BTreeMap, BTreeSet};

use domicile_cluster::cluster::demo_file;
use domicile_envelope::SigningKey;
use domicile_pin::Pin;
use domicile_topology::Topology;

use super::stage::secret;

const SHOPPERS: usize = 100_000;
const THREADS: usize = 4;

/// What an edge can count.
#[derive(Default)]
struct Counted {
    pins: BTreeSet<String>,
    /// Of pages that were granted in the current epoch, by class: each path, and how many shoppers have it.
    paths: BTreeMap<String, BTreeMap<String, usize>>,
    list_only: usize,
}

/// One share of the shoppers, at `minute`.
fn count(
    topology: &Topology,
    key: &SigningKey,
    minute: u32,
    shoppers: impl Iterator<Item = usize>,
) -> Counted {
    let mut counted = Counted::default();
    for number in shoppers {
        let shopper = format!("shopper-{number}");
        let locale = &topology.locales[number % topology.locales.len()];
        let slot = &topology.slots[number / topology.locales.len() % topology.slots.len()];
        let class = topology.class(locale.class).unwrap();
        let Some(home) = topology.home_cell(class.id, &shopper) else {
            counted.list_only += 1;
            continue;
        };
        // Some got their pin today and some yesterday.
        let granted = minute - u32::try_from(number / 7).unwrap() % topology.pin.overlap_minutes;
        let epoch = topology.pin.at(granted);
        let pin = Pin::mint(class.id.0, epoch, key);
        assert_eq!(pin.live_at(topology.pin, minute), Ok(()));
        if epoch == topology.pin.at(minute) {
            let cell = &topology.cell(home).unwrap().name;
            let path = format!("/v1/sealed/{pin}/{cell}/{}/{}", locale.name, slot.name);
            *counted.paths.entry(class.name.clone()).or_default().entry(path).or_default() += 1;
        }
        counted.pins.insert(pin.to_string());
    }
    counted
}

pub(crate) fn pins_and_paths_are_of_places_and_not_of_people() {
    let topology = Topology::parse(&std::fs::read_to_string(demo_file("topology.toml")).unwrap()).unwrap();
    let key = secret("pin");
    // An hour into an epoch: the one before is still live in its overlap.
    let minute = 20_000 * topology.pin.epoch_minutes + 60;
    let live = topology.pin.live_between(minute, minute).count();
    assert_eq!(live, 2);
    let shares = std::thread::scope(|scope| {
        let share = |at: usize| {
            let (topology, key) = (&topology, &key);
            scope.spawn(move || count(topology, key, minute, (at..SHOPPERS).step_by(THREADS)))
        };
        let running: Vec<_> = (0..THREADS).map(share).collect();
        running.into_iter().map(|share| share.join().unwrap()).collect::<Vec<_>>()
    });
    let mut all = Counted::default();
    for share in shares {
        all.pins.extend(share.pins);
        all.list_only += share.list_only;
        for (class, paths) in share.paths {
            for (path, shoppers) in paths {
                *all.paths.entry(class.clone()).or_default().entry(path).or_default() += shoppers;
            }
        }
    }

    let served: Vec<_> = topology.classes.iter().filter(|class| !class.cells.is_empty()).collect();
    assert_eq!(all.pins.len(), served.len() * live, "classes with a cell × live epochs");
    assert_eq!(all.list_only, SHOPPERS / topology.locales.len(), "whose class has no cell: no pin, no path");
    assert_eq!(all.paths.len(), served.len());
    for class in served {
        let locales = topology.locales.iter().filter(|locale| locale.class == class.id).count();
        let paths = &all.paths[&class.name];
        assert_eq!(paths.len(), class.cells.len() * locales * topology.slots.len(), "{}", class.name);
        let fewest = paths.values().min().unwrap();
        assert!(*fewest > 500, "{}: a path of {fewest} shoppers", class.name);
    }
}
