//! From the payload's form to rules and lists that can be served.

use std::collections::{BTreeMap, BTreeSet};

use domicile_topology::Topology;

use crate::document::{Item, LocaleDocument};
use crate::{ListProblem, OverlayError, Rules, item};

/// Characters of an id that an error shows.
const SHOWN: usize = 128;

/// The rules of every locale, once each list is sound in itself and none that the topology asks for is missing.
pub(crate) fn locales(
    documents: BTreeMap<String, LocaleDocument>,
    slots: &BTreeMap<String, u16>,
    topology: &Topology,
) -> Result<BTreeMap<String, Rules>, OverlayError> {
    same_slots(slots, topology)?;
    let mut locales = BTreeMap::new();
    for (name, document) in documents {
        let rules = Rules {
            deny_categories: document.deny_categories,
            deny_items: document.deny_items,
            lists: document.lists,
        };
        coherent(&name, &rules, slots)?;
        locales.insert(name, rules);
    }
    complete(&locales, topology)?;
    Ok(locales)
}

fn same_slots(slots: &BTreeMap<String, u16>, topology: &Topology) -> Result<(), OverlayError> {
    for slot in &topology.slots {
        let found = slots.get(&slot.name).copied();
        if found != Some(slot.items) {
            return Err(OverlayError::Slot { slot: slot.name.clone(), found, wanted: slot.items });
        }
    }
    Ok(())
}

/// Whether a locale's lists agree with the overlay's own slots and with the locale's own rules.
fn coherent(locale: &str, rules: &Rules, slots: &BTreeMap<String, u16>) -> Result<(), OverlayError> {
    for (slot, list) in &rules.lists {
        let verdict = match slots.get(slot) {
            Some(&wanted) => list_problem(list, wanted, rules),
            None => Some(ListProblem::Undeclared),
        };
        if let Some(problem) = verdict {
            return Err(OverlayError::List { locale: locale.to_owned(), slot: slot.clone(), problem });
        }
    }
    Ok(())
}

fn list_problem(list: &[Item], wanted: u16, rules: &Rules) -> Option<ListProblem> {
    if list.len() != usize::from(wanted) {
        return Some(ListProblem::Length { found: list.len(), wanted });
    }
    let mut seen = BTreeSet::new();
    list.iter().find_map(|item| {
        if let Some((field, problem)) = item::problem(item) {
            return Some(ListProblem::Item { item: item.id.chars().take(SHOWN).collect(), field, problem });
        }
        if let Some(by) = rules.denies(&item.id, &item.category) {
            return Some(ListProblem::Denied { item: item.id.clone(), by });
        }
        (!seen.insert(item.id.as_str())).then(|| ListProblem::Twice(item.id.clone()))
    })
}

fn complete(locales: &BTreeMap<String, Rules>, topology: &Topology) -> Result<(), OverlayError> {
    for locale in &topology.locales {
        let Some(rules) = locales.get(&locale.name) else {
            return Err(OverlayError::Locale(locale.name.clone()));
        };
        if let Some(slot) = topology.slots.iter().find(|slot| !rules.lists.contains_key(&slot.name)) {
            return Err(OverlayError::List {
                locale: locale.name.clone(),
                slot: slot.name.clone(),
                problem: ListProblem::Missing,
            });
        }
    }
    Ok(())
}
