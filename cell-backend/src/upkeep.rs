//! What a serving cell does by itself: new sealing keys when it is time, the token keys' file, and the end of what
//! anonymous shoppers did.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use crate::cell::Cell;
use crate::sealing::Turn;
use crate::telemetry::Tally;
use crate::tokens::Reloaded;

/// How often the plan of the keys is looked at: a clock that is set is noticed within this time.
const LOOK: Duration = Duration::from_secs(10);

/// How often what anonymous shoppers did is looked through: it is kept for an hour too long at most.
const EXPIRY: Duration = Duration::from_secs(3_600);
const DAY_S: i64 = 86_400;

/// The tasks of a cell's upkeep; they end when it is dropped or aborted.
pub struct Upkeep(JoinSet<()>);

impl Upkeep {
    /// Ends them.
    pub fn abort(mut self) {
        self.0.abort_all();
    }
}

/// Starts the upkeep of a cell.
pub fn start(cell: &Arc<Cell>) -> Upkeep {
    let mut tasks = JoinSet::new();
    if cell.sealing.is_some() {
        tasks.spawn(every(LOOK, Arc::clone(cell), keys));
    }
    if let Some(tokens) = &cell.tokens {
        tasks.spawn(every(tokens.every(), Arc::clone(cell), token_keys));
    }
    tasks.spawn(expiry(Arc::clone(cell)));
    Upkeep(tasks)
}

/// Calls `work` on a blocking thread, again and again; a call that panics is not the last one.
async fn every(pause: Duration, cell: Arc<Cell>, work: fn(&Cell)) {
    loop {
        tokio::time::sleep(pause).await;
        let cell = Arc::clone(&cell);
        let _ = tokio::task::spawn_blocking(move || work(&cell)).await;
    }
}

/// Takes out what anonymous shoppers did, from the start on: a cell may be started more often than once an hour.
async fn expiry(cell: Arc<Cell>) {
    loop {
        let days = i64::from(cell.config.limits.anonymous_days);
        match cell.store.expire(cell.clock.unix_seconds().saturating_sub(days * DAY_S)).await {
            Ok(0) => {}
            Ok(rows) => tracing::info!(rows, "what anonymous shoppers did was taken out"),
            Err(error) => tracing::warn!(%error, "what anonymous shoppers did was not taken out"),
        }
        tokio::time::sleep(EXPIRY).await;
    }
}

fn keys(cell: &Cell) {
    let now_s = cell.clock.unix_seconds();
    if let Some(sealing) = cell.sealing.as_ref().filter(|sealing| sealing.is_due(now_s)) {
        note(cell, &sealing.turn(now_s));
    }
}

fn note(cell: &Cell, turn: &Turn) {
    cell.telemetry.tally(Tally::KeysMade, turn.made);
    cell.telemetry.tally(Tally::KeysDeleted, turn.deleted);
    cell.telemetry.tally(Tally::KeysFailed, turn.failed.len() as u64);
    if turn.made + turn.deleted > 0 {
        tracing::info!(made = turn.made, deleted = turn.deleted, "sealing keys");
    }
    if let Some(why) = turn.failed.first()
        && let Some(unsaid) = cell.keys_failed.may(cell.clock.running())
    {
        tracing::warn!(%why, unsaid, "sealing keys: going on with those there are");
    }
}

fn token_keys(cell: &Cell) {
    let Some(tokens) = &cell.tokens else { return };
    match tokens.reload() {
        Reloaded::Unchanged => {}
        Reloaded::Taken => {
            cell.telemetry.tally(Tally::TokenKeysTaken, 1);
            tracing::info!("token keys read again");
        }
        Reloaded::Kept(why) => {
            cell.telemetry.tally(Tally::TokenKeysKept, 1);
            tracing::warn!(%why, "token keys: going on with those of before");
        }
    }
}
