//! How many files this process may open: a connection is one, and with none left nobody is answered, not even who asks
//! whether this host is ready.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::settings::Limits;

/// Listeners, standard streams, the runtime's own, files being read, the admin listener's connections.
const OWN: u64 = 64;

/// Takes as many as this process can have, and says how many connections from shoppers that leaves room for.
pub(crate) fn room_for(limits: &Limits) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    // Where more is not to be had, what there is has to do.
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
    let most = if raised { maximum } else { current };
    let left = connections(most, limits);
    if left < limits.connections {
        tracing::warn!(
            connections = left,
            "fewer connections than --connections: this process may not open more files; raise its limit"
        );
    }
    left
}

fn connections(files: Option<u64>, limits: &Limits) -> usize {
    // One towards a cell for each request in flight, and as many kept.
    let reserved = OWN + 2 * u64::from(limits.in_flight);
    let left = files.map_or(u64::MAX, |files| files.saturating_sub(reserved).max(1));
    usize::try_from(left).map_or(limits.connections, |left| left.min(limits.connections))
}

#[cfg(test)]
mod tests {
    use super::connections;
    use crate::settings::Limits;

    #[test]
    fn what_is_reserved_is_not_given_away() {
        let limits = Limits { in_flight: 8, connections: 100, ..Limits::default() };
        for (files, expected) in [(None, 100), (Some(1_024), 100), (Some(100), 20), (Some(10), 1)] {
            assert_eq!(connections(files, &limits), expected, "{files:?}");
        }
    }
}
