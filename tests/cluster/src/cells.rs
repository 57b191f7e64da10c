//! A cluster's cells as processes, each running, slow or stopped.

use crate::process::Server;
use crate::slow::Slow;

/// One cell. Dropping it lets a slow process go before it is told to stop.
struct Cell {
    name: String,
    slow: Option<Slow>,
    server: Option<Server>,
}

/// The cells of a cluster, by name.
pub(crate) struct Cells(Vec<Cell>);

impl Cells {
    /// None of them runs yet.
    pub(crate) fn new(names: &[&str]) -> Self {
        let cell = |name: &&str| Cell { name: (*name).to_owned(), slow: None, server: None };
        Self(names.iter().map(cell).collect())
    }

    pub(crate) fn runs(&self, name: &str) -> bool {
        self.0.iter().any(|cell| cell.name == name && cell.server.is_some())
    }

    /// Keeps a cell that was started.
    pub(crate) fn put(&mut self, name: &str, server: Server) {
        if let Some(cell) = self.named(name).next() {
            cell.server = Some(server);
        }
    }

    /// Stops a cell and waits for its end.
    pub(crate) fn stop(&mut self, name: &str) {
        for cell in self.named(name) {
            drop(cell.slow.take());
            drop(cell.server.take());
        }
    }

    /// Slows a running cell.
    pub(crate) fn slow(&mut self, name: &str) {
        for cell in self.named(name).filter(|cell| cell.slow.is_none()) {
            cell.slow = cell.server.as_ref().map(|server| Slow::down(server.id()));
        }
    }

    /// Has a slow cell run as before.
    pub(crate) fn quicken(&mut self, name: &str) {
        self.named(name).for_each(|cell| drop(cell.slow.take()));
    }

    /// The first that ended by itself.
    pub(crate) fn ended(&mut self) -> Option<&str> {
        let ended = self.0.iter_mut().find_map(|cell| {
            let ended = cell.server.as_mut().is_some_and(Server::ended);
            ended.then_some(&cell.name)
        });
        ended.map(String::as_str)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> {
        self.0.iter().filter_map(|cell| cell.server.as_ref()).map(Server::id)
    }

    fn named(&mut self, name: &str) -> impl Iterator<Item = &mut Cell> {
        self.0.iter_mut().filter(move |cell| cell.name == name)
    }
}
