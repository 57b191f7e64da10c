//! Epochs: how long a pin lives.

/// The number of an epoch, counted from the Unix epoch in steps of [`EpochPolicy::epoch_minutes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u32);

/// How long epochs are and how far they overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochPolicy {
    /// Length of an epoch in minutes; at least 1.
    pub epoch_minutes: u32,
    /// For how many minutes after its end a pin is still accepted. It has to cover a page's life and the
    /// longest skew between the edge's tables and a cell's clock.
    pub overlap_minutes: u32,
}

impl EpochPolicy {
    /// The epoch that `minute` (whole minutes since the Unix epoch) falls into.
    pub fn at(self, minute: u32) -> Epoch {
        Epoch(minute / self.epoch_minutes.max(1))
    }

    /// The first minute at which a pin of `epoch` is accepted.
    pub fn begins(self, epoch: Epoch) -> u32 {
        epoch.0.saturating_mul(self.epoch_minutes)
    }

    /// The first minute at which a pin of `epoch` is no longer accepted.
    pub fn ends(self, epoch: Epoch) -> u32 {
        self.begins(epoch).saturating_add(self.epoch_minutes).saturating_add(self.overlap_minutes)
    }

    /// The epochs whose pins an edge has to know to serve from `minute` until `until`: those still live in
    /// their overlap, the current one, and the coming ones.
    pub fn live_between(self, minute: u32, until: u32) -> impl Iterator<Item = Epoch> {
        let oldest = self.at(minute.saturating_sub(self.overlap_minutes));
        (oldest.0..=self.at(until).0.max(oldest.0)).map(Epoch).filter(move |&epoch| self.ends(epoch) > minute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_epochs_are_those_that_any_minute_of_the_span_accepts() {
        let policy = EpochPolicy { epoch_minutes: 1_440, overlap_minutes: 240 };
        let now = 10 * 1_440 + 100;
        let live: Vec<u32> = policy.live_between(now, now + 2 * 1_440).map(|e| e.0).collect();
        assert_eq!(live, [9, 10, 11, 12], "9 is still in its overlap");
        let later = 10 * 1_440 + 240;
        assert_eq!(policy.live_between(later, later).map(|e| e.0).collect::<Vec<_>>(), [10]);
    }
}
