//! The forge: from three core modules, a topology and lists to one audited edge. No compiler is needed.
//!
//! ```text
//! module ──rewrite──▶ module ──componentise──▶ component ──audit──▶ ┐
//!   (three times: router, popularity, relay)                        ├─compose──▶ edge ──audit──▶ artefact, manifest
//! topology, overlay, pins, manifests ──tables──▶ rows of each ──────┘
//! ```

mod audit;
mod compose;
mod current;
mod forge;
mod input;
mod origin;
mod part;
pub mod published;
mod repeat;
mod rewrite;
mod routes;
mod shown;
mod spin;
mod tools;
mod trailers;
mod world;

pub use audit::{AllowList, Audit, ComponentAudit, Finding, Inventory, InventoryError, Rule, audit};
pub use compose::{ComposeError, componentise, compose};
pub use current::{Aspect, Difference, Wanted, differences};
pub use domicile_edge_manifest::{Interface, Manifest, sha256_hex};
pub use forge::{Artefact, ForgeError, Modules, forge, prepare};
pub use input::{MintedPin, Rows, mint};
pub use origin::{Origin, route_name};
pub use part::Part;
pub use repeat::repeats;
pub use rewrite::{RewriteError, Rewritten, rewrite};
pub use routes::{SignedRoute, SignedRouteError};
pub use shown::{shown, shown_lines};
pub use spin::{SpinFiles, spin_files};
pub use tools::tools;
pub use world::{WorldError, check as check_world};
