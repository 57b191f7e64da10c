//! The demo's shop, and what it asks for: stopping, slowing and starting cells.
//!
//! The shop owns no cell. It writes a wish to its standard output, a line each, and is told on its standard input how
//! cells do (`edge-worker/browser/shop/src/controls.rs`).

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command};
use std::sync::mpsc::Receiver;

use crate::process::Server;
use crate::{paths, ports};

/// Where the shop's pages are served, if nobody else listens there.
const PAGES_PORT: u16 = 8_090;
/// Where its recorder in front of the edge listens, if nobody else does.
const EDGE_PORT: u16 = 8_091;

/// What can be wished for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Stop,
    Slow,
    Start,
}

impl Wish {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Slow => "slow",
            Self::Start => "start",
        }
    }
}

/// How a cell does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellState {
    /// It loads its models.
    Starting,
    /// It serves.
    Running,
    /// It is paused most of the time.
    Slow,
    /// Its process has ended.
    Stopped,
}

impl CellState {
    fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Slow => "slow",
            Self::Stopped => "stopped",
        }
    }
}

/// Its ports of loopback, found before it starts: others have to know its origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pages: u16,
    edge: u16,
}

impl Ports {
    /// Free ones.
    pub(crate) fn find() -> anyhow::Result<Self> {
        match ports::free(&[PAGES_PORT, EDGE_PORT])?[..] {
            [pages, edge] => Ok(Self { pages, edge }),
            _ => anyhow::bail!("no ports for the shop"),
        }
    }

    /// The origin of its pages.
    pub(crate) fn origin(self) -> String {
        format!("http://127.0.0.1:{}", self.pages)
    }
}

/// What its pages are about.
pub(crate) struct About<'a> {
    pub(crate) pages: &'a PathBuf,
    pub(crate) edge: &'a str,
    pub(crate) identity: &'a str,
    pub(crate) topology: &'a Path,
    pub(crate) assignments: &'a Path,
}

/// A running shop.
pub(crate) struct Shop {
    pub(crate) server: Server,
    said: Receiver<String>,
    told: ChildStdin,
}

impl Shop {
    /// Starts it.
    ///
    /// # Errors
    /// With the last line that it said.
    pub(crate) fn start(ports: Ports, about: &About<'_>, log: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(paths::binary("domicile-shop"));
        command.args(["--owner", "stdio", "--edge", about.edge, "--identity", about.identity]);
        command.args(["--port", &ports.pages.to_string(), "--edge-port", &ports.edge.to_string()]);
        command.arg("--pages").arg(about.pages).arg("--topology").arg(about.topology);
        command.arg("--items").arg(paths::root().join("models/demo/items.csv"));
        command.arg("--assignments").arg(about.assignments);
        let (server, said, told) = Server::start_talking("the shop", &mut command, log)?;
        Ok(Self { server, said, told })
    }

    /// The next wish that waits, and the cell that it is for.
    pub(crate) fn wish(&self) -> Option<(Wish, String)> {
        self.said.try_iter().find_map(|line| parse(&line))
    }

    /// Tells it how a cell does. A shop that is gone is noticed elsewhere.
    pub(crate) fn tell(&mut self, cell: &str, state: CellState) {
        let _ = writeln!(self.told, "cell {cell} {}", state.as_str());
    }
}

fn parse(line: &str) -> Option<(Wish, String)> {
    let words: Vec<&str> = line.split(' ').collect();
    let ["wish", wish, cell] = words[..] else { return None };
    let known = [Wish::Stop, Wish::Slow, Wish::Start];
    let wish = known.into_iter().find(|known| known.as_str() == wish)?;
    Some((wish, cell.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_a_line_of_three_words() {
        assert_eq!(parse("wish slow eu-a"), Some((Wish::Slow, "eu-a".to_owned())));
        for line in ["", "wish slow", "wish end eu-a", "wish slow eu-a now", "ready http://127.0.0.1:1"] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
