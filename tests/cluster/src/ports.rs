//! Loopback ports: a busy one is stepped over.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::Context as _;

use crate::report::say;

/// How far a busy port is stepped over.
const STEPS: u16 = 200;

/// `count` free ports, each at or above the one asked for and above the one before.
///
/// # Errors
/// When a long run of ports is busy.
pub fn free(wanted: &[u16]) -> anyhow::Result<Vec<u16>> {
    let mut found: Vec<u16> = Vec::new();
    for &port in wanted {
        let lowest = found.iter().copied().max().map_or(port, |highest| port.max(highest.saturating_add(1)));
        let free = (lowest..lowest.saturating_add(STEPS))
            .find(|&p| TcpListener::bind((Ipv4Addr::LOCALHOST, p)).is_ok())
            .with_context(|| format!("no free port between {lowest} and {}", lowest.saturating_add(STEPS)))?;
        if free != port {
            say(format!("port {port} is busy: taking {free}"));
        }
        found.push(free);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_ports_are_stepped_over() {
        let held = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let busy = held.local_addr().unwrap().port();
        let found = free(&[busy, busy]).unwrap();
        assert!(found[0] > busy && found[1] > found[0]);
    }
}
