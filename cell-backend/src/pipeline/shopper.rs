//! The calls about a shopper: events, export, erasure. Each is one call of the store.

use std::sync::Arc;
use std::time::Duration;

use domicile_seal::size;
use domicile_token::TokenRefusal;
use domicile_topology::Class;
use domicile_wire::{
    Code, ErasureAnswer, ErasureState, Event, EventsAnswer, ExportPage, PageToken, Problem, ShopperId,
};

use crate::cell::Cell;
use crate::features::{FeatureStore, Standing, StoreError};
use crate::last_good::LastGoodCache;
use crate::telemetry::Tally;
use crate::{export, refusal};

/// Bytes of an answer beside its content: status, headers, the receipt.
const AROUND: usize = 2_048;

impl Cell {
    /// Takes a batch in: durable before it is acknowledged, and there for the shopper's next ranking.
    pub(super) async fn take_events(
        &self,
        shopper: Option<&ShopperId>,
        standing: Standing,
        events: Vec<Event>,
    ) -> Result<EventsAnswer, Problem> {
        let taken = self.store.take(named(shopper)?, standing, events, self.clock.unix_seconds()).await;
        let taken = taken.map_err(|error| self.not_stored(&error))?;
        for event in &taken.accepted {
            if let (Some(rung), Some(shown)) = (event.rung, event.shown) {
                let waited = event.client_ms.map(|ms| Duration::from_millis(ms.into()));
                self.telemetry.impression(rung, shown, waited);
            }
        }
        let accepted = u32::try_from(taken.accepted.len()).unwrap_or(u32::MAX);
        for (tally, number) in [
            (Tally::EventsAccepted, accepted),
            (Tally::EventsDuplicate, taken.duplicates),
            (Tally::EventsErased, taken.erased),
        ] {
            self.telemetry.tally(tally, number.into());
        }
        Ok(EventsAnswer { accepted, duplicates: taken.duplicates, erased: taken.erased })
    }

    /// A page of what is kept.
    pub(super) async fn export(
        &self,
        shopper: Option<&ShopperId>,
        after: Option<&PageToken>,
    ) -> Result<ExportPage, Problem> {
        let kept = self.store.kept(named(shopper)?).await.map_err(|error| self.not_stored(&error))?;
        let room = size::answer_room(self.answer_size).saturating_sub(AROUND);
        Ok(export::page(&self.name, &kept, after, room))
    }

    /// The end of what is kept: durably in the store, and in memory. In memory it is forgotten twice: before, so that it
    /// is gone at once, and after, with what was ranked meanwhile from the old row. The second happens whenever the disk
    /// is done, even if the caller was told `late` by then: a task of its own sees to it.
    ///
    /// It says `complete` only where the class has no other cell that could hold something: cells do not tell each other
    /// yet, so each of the others is pending until it is asked itself.
    pub(super) async fn erase(
        &self,
        shopper: Option<&ShopperId>,
        class: &Class,
    ) -> Result<ErasureAnswer, Problem> {
        let shopper = named(shopper)?;
        self.last_good.forget(shopper);
        let erased_s = erased(&self.store, &self.last_good, shopper, self.clock.unix_seconds()).await;
        let erased_s = erased_s.map_err(|error| self.not_stored(&error))?;
        let others = class.cells.iter().filter(|member| member.cell != self.id);
        let others = others.filter_map(|member| self.topology.cell(member.cell));
        let pending: Vec<String> = others.map(|cell| cell.name.clone()).collect();
        let state = if pending.is_empty() { ErasureState::Complete } else { ErasureState::Pending };
        Ok(ErasureAnswer { cell: self.name.clone(), state, pending, erased_s })
    }

    fn not_stored(&self, error: &StoreError) -> Problem {
        if let Some(unsaid) = self.store_failed.may(self.clock.running()) {
            tracing::warn!(%error, unsaid, "the store did not do its part");
        }
        Problem::new(Code::StoreFailed, "nothing was acknowledged; it may be sent again")
    }
}

/// Erases in the store and then in memory, whether or not anybody still waits for it.
#[expect(
    clippy::disallowed_methods,
    reason = "the task ends with the store's call, and its caller may not wait"
)]
async fn erased(
    store: &Arc<dyn FeatureStore>,
    last_good: &Arc<LastGoodCache>,
    shopper: &ShopperId,
    now_s: i64,
) -> Result<i64, StoreError> {
    let (store, last_good, shopper) = (Arc::clone(store), Arc::clone(last_good), shopper.clone());
    let erasing = tokio::spawn(async move {
        let erased_s = store.erase(&shopper, now_s).await;
        last_good.forget(&shopper);
        erased_s
    });
    erasing.await.map_err(|_gone| StoreError::Stopping)?
}

fn named(shopper: Option<&ShopperId>) -> Result<&ShopperId, Problem> {
    shopper.ok_or_else(|| refusal::token(TokenRefusal::Missing))
}
