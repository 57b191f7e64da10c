//! The route manifests that a topology gives: what a client of each class has to know, without what it has not to.
//!
//! A manifest says nothing that the topology does not say, and has the topology's serial as its version. So whoever has
//! the topology can hold a manifest against it (an edge is built only of manifests that are equal to it), and the two
//! are signed with the same key at the same time.

use domicile_envelope::VerifyingKey;
use domicile_route::{Clocks, RouteCell, RouteManifest, RouteSlot};

use crate::{Class, Topology};

/// Why a class has no route manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoutesError {
    /// A client could not check what such a cell signs.
    #[error(
        "class {class:?}: cell {cell:?} has no signing_key, so no client could check the keys it hands out; make one with \
         `domicile key sign new` and write its public half into the topology"
    )]
    NoSigningKey {
        /// The class.
        class: String,
        /// Its first cell without a key.
        cell: String,
    },
}

/// A manifest that is not the topology's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "class {class:?}: the route manifest's {what} differ from the topology's; sign both again \
     (`domicile topology sign --routes`)"
)]
pub struct RouteSkew {
    /// The class.
    pub class: String,
    /// What differs first.
    pub what: &'static str,
}

impl Topology {
    /// The route manifest of every class, from `issued_s` to `not_after_s` seconds since 1970, in the topology's order.
    ///
    /// # Errors
    /// The first [`RoutesError`] met.
    pub fn routes(&self, issued_s: i64, not_after_s: i64) -> Result<Vec<RouteManifest>, RoutesError> {
        self.classes.iter().map(|class| self.route(class, issued_s, not_after_s)).collect()
    }

    /// Holds a manifest, whose signature and time have been checked, against what this topology gives for its class.
    ///
    /// # Errors
    /// [`RouteSkew`] names what differs.
    pub fn agrees(&self, manifest: &RouteManifest) -> Result<(), RouteSkew> {
        let skew = |what| Err(RouteSkew { class: manifest.class.clone(), what });
        if manifest.version != self.serial {
            return skew("versions");
        }
        let Some(class) = self.class_named(&manifest.class) else { return skew("classes") };
        let Ok(own) = self.route(class, 0, 0) else { return skew("signing keys") };
        match () {
            () if manifest.cells != own.cells => skew("cells"),
            () if manifest.locales != own.locales => skew("locales"),
            () if manifest.slots != own.slots => skew("slots"),
            () if manifest.clocks != own.clocks => skew("clocks"),
            () => Ok(()),
        }
    }

    fn route(&self, class: &Class, issued_s: i64, not_after_s: i64) -> Result<RouteManifest, RoutesError> {
        let clocks =
            Clocks { page_limit_ms: self.clocks.page_limit_ms, cell_budget_ms: self.clocks.cell_budget_ms };
        let mut manifest = RouteManifest::new(&class.name, self.serial, clocks, issued_s, not_after_s);
        for member in &class.cells {
            // Every cell of a class is one of the topology's.
            let Some(cell) = self.cell(member.cell) else { continue };
            let signing_key = cell.signing_key.as_ref().ok_or_else(|| RoutesError::NoSigningKey {
                class: class.name.clone(),
                cell: cell.name.clone(),
            })?;
            manifest.cells.push(RouteCell {
                name: cell.name.clone(),
                boundary: cell.boundary.clone(),
                weight: member.weight,
                transport: cell.transport.clone(),
                answer_bytes: self.answer_bytes(),
                signing_key: signing_key.to_jwk(),
                next_signing_key: cell.next_signing_key.as_ref().map(VerifyingKey::to_jwk),
            });
        }
        manifest.locales =
            self.locales.iter().filter(|l| l.class == class.id).map(|l| l.name.clone()).collect();
        manifest.slots = self
            .slots
            .iter()
            .map(|slot| RouteSlot {
                name: slot.name.clone(),
                items: slot.items,
                relay_wait_ms: slot.relay_wait_ms,
            })
            .collect();
        Ok(manifest)
    }
}

#[cfg(test)]
#[path = "routes_tests.rs"]
mod tests;
