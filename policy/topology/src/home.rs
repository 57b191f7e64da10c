//! The home cell: which cell of a class keeps a shopper's features.
//!
//! Weighted rendezvous hashing: each cell draws as many numbers as its weight, the highest number wins. Shares are
//! exactly proportional to the integer weights, no floating point can differ between machines, and a cell that
//! comes or goes moves only its own share of shoppers. (Thaler & Ravishankar, 1998, for the unweighted form.)

use sha2::{Digest as _, Sha256};

use crate::{CellId, ClassId, Topology};

impl Topology {
    /// The cell of `class` that is `shopper`'s home, or none when the class has no cell.
    pub fn home_cell(&self, class: ClassId, shopper: &str) -> Option<CellId> {
        let class = self.class(class)?;
        let draws = class.cells.iter().flat_map(|c| (0..c.weight).map(move |draw| (c.cell, draw)));
        draws.max_by_key(|&(cell, draw)| number(shopper, cell, draw)).map(|(cell, _)| cell)
    }
}

fn number(shopper: &str, cell: CellId, draw: u32) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"domicile-home-v1\0");
    hash.update([cell.0]);
    hash.update(draw.to_be_bytes());
    hash.update(shopper.as_bytes());
    hash.finalize().into()
}
