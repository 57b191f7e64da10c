//! A running `domicile-edge`.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context as _;

use domicile_cluster::{Server, paths};

/// Ticks in a second in `/proc/PID/stat` (`USER_HZ`, 100 on every Linux there is).
const TICKS: f64 = 100.0;

/// A host process; it stops when dropped.
pub(super) struct Host {
    server: Server,
    pub(super) address: SocketAddr,
}

impl Host {
    /// Starts a host that may call `cell`.
    pub(super) fn start(
        name: &str,
        artefact: &Path,
        cell: SocketAddr,
        more: &[&str],
    ) -> anyhow::Result<Self> {
        let mut command = Command::new(paths::binary("domicile-edge"));
        command.args(["--listen", "127.0.0.1:0", "--log-level", "warn", "--artefact"]).arg(artefact);
        command.arg("--allow-outbound").arg(cell.to_string()).args(more);
        let log = artefact.with_file_name(format!("{name}.log"));
        let server = Server::start(name, &mut command, &log)?;
        let address = server.address.trim_start_matches("http://").parse().context("no address")?;
        Ok(Self { server, address })
    }

    pub(super) fn id(&self) -> u32 {
        self.server.id()
    }

    /// Processor time it took so far, all threads together.
    pub(super) fn processor(&self) -> anyhow::Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).context("the host ended")?;
        // After the name in brackets, which may hold anything: utime and stime are fields 14 and 15.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let ticks: f64 =
            after.split_whitespace().skip(11).take(2).filter_map(|f| f.parse::<f64>().ok()).sum();
        Ok(Duration::from_secs_f64(ticks / TICKS))
    }

    /// Resident memory, MiB.
    pub(super) fn memory(&self) -> anyhow::Result<f64> {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.id())).context("the host ended")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kib: f64 = line.trim().trim_end_matches(" kB").parse().context("VmRSS is no number")?;
        Ok(kib / 1_024.0)
    }
}
