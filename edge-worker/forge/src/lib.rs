//! The forge: from three core modules, a topology and lists to one audited edge. No compiler is needed.
//!
//! ```text
//! module ──rewrite──▶ module ──componentise──▶ component ──audit──▶ ┐
//!   (three times: router, popularity, relay)                        ├─compose──▶ edge ──audit──▶ artefact, manifest
//! topology, overlay, pins ──tables──▶ rows of each module ──────────┘
//! ```

mod audit;
mod compose;
mod forge;
mod input;
mod manifest;
mod part;
mod rewrite;
mod spin;
mod world;

use sha2::{Digest, Sha256};

pub use audit::{
    AllowList, Audit, ComponentAudit, Finding, Interface, Inventory, InventoryError, Rule, audit,
};
pub use compose::{ComposeError, componentise, compose};
pub use forge::{Artefact, ForgeError, Modules, forge, prepare};
pub use input::{MintedPin, Rows, mint};
pub use manifest::{Manifest, Origin};
pub use part::Part;
pub use rewrite::{RewriteError, Rewritten, rewrite};
pub use spin::spin_toml;
pub use world::{WorldError, check as check_world};

/// SHA-256 in hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
