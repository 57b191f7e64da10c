//! One call: which cells it asks, and what its one extra attempt is spent on.

use std::time::Duration;

use domicile_deadline::Deadline;
use domicile_route::{RouteCell, RouteManifest};
use domicile_wire::Call;
use serde::de::DeserializeOwned;

use crate::attempt::{End, Keys};
use crate::exchange::Caches;
use crate::order::order;
use crate::{Ask, Cells, Client, Fallback, Outcome, Outside, Reason};

/// The extra attempt: one for whatever it is needed first.
#[derive(Debug)]
pub(crate) struct Extra(bool);

impl Extra {
    pub(crate) const fn one() -> Self {
        Self(true)
    }

    const fn is_left(&self) -> bool {
        self.0
    }

    const fn take(&mut self) -> bool {
        std::mem::replace(&mut self.0, false)
    }
}

impl<O: Outside> Client<O> {
    /// Makes one call.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        ask: Ask<'_>,
        call: &Call,
        extra: &mut Extra,
    ) -> Outcome<T> {
        let outcome = match self.lawful(&ask).await {
            Ok(manifest) => match self.cells(&ask, &manifest) {
                Ok(cells) => self.tries(ask, call, &manifest, cells, extra).await,
                Err(reason) => Outcome::fallback(reason, 0),
            },
            Err(reason) => Outcome::fallback(reason, 0),
        };
        self.timed(outcome, ask.deadline)
    }

    /// The cells to ask, first to last; at least one.
    fn cells<'m>(&self, ask: &Ask<'_>, manifest: &'m RouteManifest) -> Result<Vec<&'m RouteCell>, Reason> {
        let (now, random) = (self.outside.now(), self.outside.random());
        let home = ask.grant.home.as_str();
        match ask.cells {
            Cells::Any => {
                let memory = self.memory();
                let steered = memory.steered(&manifest.class, now, random);
                let cells = order(manifest, steered, home, |cell| memory.fails(cell, now));
                if cells.is_empty() { Err(Reason::BackingOff) } else { Ok(cells) }
            }
            // Asked for by name, a cell is asked however it did a moment ago.
            Cells::Home => manifest.cell(home).map(|cell| vec![cell]).ok_or(Reason::HomeNotInClass),
            Cells::Only(name) => manifest.cell(name).map(|cell| vec![cell]).ok_or(Reason::CellNotInClass),
        }
    }

    async fn tries<T: DeserializeOwned>(
        &self,
        ask: Ask<'_>,
        call: &Call,
        manifest: &RouteManifest,
        cells: Vec<&RouteCell>,
        extra: &mut Extra,
    ) -> Outcome<T> {
        let mut cells = cells.into_iter();
        let Some(mut cell) = cells.next() else { return Outcome::fallback(Reason::NoCell, 0) };
        let (mut refused, mut attempts) = (None, 0);
        loop {
            let another = extra.is_left() && !cells.as_slice().is_empty();
            let limit = self.limit(&ask, manifest, another);
            let given = limit.remaining(self.outside.now());
            if given.is_zero() {
                return Outcome::fallback(Reason::PageLimit, attempts);
            }
            let end = match self.keys_other_than(refused.as_ref(), cell, limit).await {
                Ok(Some(keys)) => self.attempt(&ask, cell, call, keys, limit, &mut attempts).await,
                // The same keys would be refused again: the attempt that was kept for them goes to another cell.
                Ok(None) => {
                    *extra = Extra::one();
                    End::Failed(Outcome::fallback(Reason::KeyRefused, attempts))
                }
                Err(Reason::KeysLost) => End::Failed(Outcome::fallback(Reason::KeysLost, attempts)),
                // A statement that came and is not to be trusted ends the call.
                Err(reason) => End::Done(Outcome::fallback(reason, attempts)),
            };
            match end {
                End::Done(outcome) => return outcome,
                End::Skew(_) if extra.take() => {}
                End::Skew(outcome) => return outcome,
                End::Key(_, keys) if extra.take() => refused = Some(keys),
                End::Key(outcome, _) => {
                    self.failed(cell);
                    return outcome;
                }
                End::Failed(outcome) => {
                    if self.had_its_time(&ask, manifest, given) {
                        self.failed(cell);
                    }
                    match cells.next() {
                        Some(next) if extra.take() => (cell, refused) = (next, None),
                        _ => return outcome,
                    }
                }
            }
        }
    }

    /// The cell's keys; fetched past every cache when it refused those, and none when they are still the same.
    async fn keys_other_than(
        &self,
        refused: Option<&Keys>,
        cell: &RouteCell,
        limit: Deadline,
    ) -> Result<Option<Keys>, Reason> {
        let caches = if refused.is_some() { Caches::MayNot } else { Caches::May };
        let keys = self.keys(cell, caches, limit).await?;
        Ok((refused != Some(&keys)).then_some(keys))
    }

    /// How long a cell is waited for. Where another one could still be asked, half of what is left is kept for it,
    /// but the edge's own wait is never cut short: a page's limit is twice that (`page_limit ≥ 2 × (relay_wait + RTT)`).
    fn limit(&self, ask: &Ask<'_>, manifest: &RouteManifest, another: bool) -> Deadline {
        if !another {
            return ask.deadline;
        }
        let wait = manifest.slot(ask.page.slot()).map_or(0, |slot| slot.relay_wait_ms);
        let now = self.outside.now();
        let half = ask.deadline.remaining(now) / 2;
        ask.deadline.at_most(now, half.max(Duration::from_millis(wait.into())))
    }

    /// Whether a cell that failed is to blame for it. One that was asked when the page had less left than the edge waits
    /// for a cell, and was cut off by the page's own limit, is not: left alone, it would be missing from the next page.
    fn had_its_time(&self, ask: &Ask<'_>, manifest: &RouteManifest, given: Duration) -> bool {
        let wait = manifest.slot(ask.page.slot()).map_or(0, |slot| slot.relay_wait_ms);
        given >= Duration::from_millis(wait.into()) || !ask.deadline.passed(self.outside.now())
    }

    fn failed(&self, cell: &RouteCell) {
        let (now, random) = (self.outside.now(), self.outside.random());
        self.memory().failed(&cell.name, now, random);
    }

    /// A call that ran out of time says so in place of what it was waiting for.
    fn timed<T>(&self, outcome: Outcome<T>, deadline: Deadline) -> Outcome<T> {
        match outcome {
            Outcome::Fallback(fallback) if fallback.reason.is_of_waiting() => {
                let late = deadline.remaining(self.outside.now()).is_zero();
                let reason = if late { Reason::PageLimit } else { fallback.reason };
                Outcome::Fallback(Fallback { reason, ..fallback })
            }
            other => other,
        }
    }
}
