//! How many files this process may open: a connection is one, and with none left nobody is answered, not even who asks
//! whether this host is ready.
//!
//! Shoppers' connections get what is left once everything else has its part: the host's own files, a connection towards a
//! cell for each request in flight, and those kept unused to each cell. While one artefact takes another's place there
//! are two sets of the last. Where files are scarce, kept connections get a quarter of what is left, and shoppers the
//! rest: a connection that is not kept costs a cell's round trip, one that is not taken costs a shopper.

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::settings::Limits;

/// Listeners, standard streams, the runtime's own, files being read, the admin listener's connections.
const OWN: u64 = 64;
/// Sets of kept connections at once: of the artefact that serves, and of the one before.
const SETS: u64 = 2;

/// The files of this process, and who may have them.
pub(crate) struct Room {
    most: Option<u64>,
    /// Settled by the first artefact; the others get along with it.
    parts: OnceLock<Parts>,
}

/// Who may have how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parts {
    shoppers: usize,
    kept: u64,
}

impl Room {
    /// Takes as many as this process can have.
    pub(crate) fn take() -> Self {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        // Where more is not to be had, what there is has to do.
        let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
        Self { most: if raised { maximum } else { current }, parts: OnceLock::new() }
    }

    /// Unused connections that may be kept to each of so many cells.
    pub(crate) fn keep(&self, limits: &Limits, cells: usize) -> usize {
        let wanted = limits.keep_connections.min(limits.cell_connections);
        let parts = self.parts.get_or_init(|| {
            let parts = Parts::of(self.most, limits, cells);
            let keep = parts.keep(wanted, cells);
            if parts.shoppers < limits.connections || keep < wanted {
                tracing::warn!(
                    connections = parts.shoppers,
                    keep_connections = keep,
                    "fewer connections than --connections and --keep-connections: this process may not open more \
                     files; raise its limit (ulimit -n, LimitNOFILE)"
                );
            }
            parts
        });
        parts.keep(wanted, cells)
    }

    /// Connections from shoppers.
    pub(crate) fn connections(&self, limits: &Limits) -> usize {
        self.parts.get_or_init(|| Parts::of(self.most, limits, 0)).shoppers
    }
}

impl Parts {
    fn of(files: Option<u64>, limits: &Limits, cells: usize) -> Self {
        let Some(files) = files else { return Self { shoppers: limits.connections, kept: u64::MAX } };
        let left = files.saturating_sub(OWN + u64::from(limits.in_flight));
        let each = limits.keep_connections.min(limits.cell_connections) as u64;
        let wanted = each.saturating_mul(cells as u64).saturating_mul(SETS).min(left / 4);
        let shoppers = (left - wanted).max(1);
        let shoppers =
            usize::try_from(shoppers).map_or(limits.connections, |most| most.min(limits.connections));
        Self { shoppers, kept: left.saturating_sub(shoppers as u64) }
    }

    fn keep(self, wanted: usize, cells: usize) -> usize {
        let each = self.kept / (cells.max(1) as u64).saturating_mul(SETS);
        usize::try_from(each).map_or(wanted, |each| each.min(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::{Parts, Room};
    use crate::settings::Limits;
    use std::sync::OnceLock;

    fn limits() -> Limits {
        Limits {
            in_flight: 8,
            connections: 100,
            keep_connections: 10,
            cell_connections: 50,
            ..Limits::default()
        }
    }

    #[test]
    fn what_is_reserved_is_not_given_away() {
        for (files, cells, shoppers, keep) in [
            (None, 6, 100, 10),
            (Some(1_024), 6, 100, 10),
            // 120 kept in two sets, and 100: just enough, then one short.
            (Some(72 + 120 + 100), 6, 100, 10),
            (Some(72 + 120 + 99), 6, 100, 9),
            // 28 are left: a quarter of them is kept, for 3 cells twice one.
            (Some(100), 3, 21, 1),
            (Some(100), 0, 28, 0),
            (Some(10), 3, 1, 0),
        ] {
            let parts = Parts::of(files, &limits(), cells);
            assert_eq!((parts.shoppers, parts.keep(10, cells)), (shoppers, keep), "{files:?}, {cells} cells");
            if let Some(files) = files.filter(|files| *files > 72) {
                let all = 72 + parts.shoppers + parts.keep(10, cells) * cells * 2;
                assert!(all as u64 <= files, "{files} files, {cells} cells: {all}");
            }
        }
    }

    #[test]
    fn more_cells_after_a_reload_take_nothing_from_shoppers() {
        let room = Room { most: Some(72 + 40 + 100), parts: OnceLock::new() };
        assert_eq!(room.keep(&limits(), 2), 10);
        let shoppers = room.connections(&limits());
        assert_eq!(room.keep(&limits(), 20), 1);
        assert_eq!(room.connections(&limits()), shoppers);
    }
}
