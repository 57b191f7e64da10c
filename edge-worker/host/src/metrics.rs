//! What the host counts, as Prometheus text (exposition format 0.0.4).
//!
//! Labels are enums, and the hash of the artefact that serves: nothing that a request brings can become one. Counters
//! exist from the start; of a route's pairs of outcome and status, and of histograms, only what was observed appears.

mod text;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domicile_telemetry::Histogram;

use crate::inbound::refusal::{Outcome, Refusal};
use crate::inbound::route::RouteKind;
use crate::outbound::CallFailure;

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    ConnectionRefused,
    AddressRefused,
    ConnectionCut,
    AcceptFailed,
    HandshakeFailed,
    InstanceMade,
    InstanceReused,
    InstanceTrapped,
    Swapped,
    SwapRefused,
    ShelfKept,
}

/// Something there is so much of at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gauge {
    Connections,
    InFlight,
    Instances,
}

impl Count {
    const ALL: [(Self, &'static str, &'static str); 11] = [
        (Self::ConnectionRefused, "connections_refused", "Connections closed at once: there were too many."),
        (
            Self::AddressRefused,
            "connections_refused_for_address",
            "Connections closed at once: their address had as many as it may.",
        ),
        (Self::ConnectionCut, "connections_cut", "Connections cut: a request was held open by its caller."),
        (Self::AcceptFailed, "accept_failures", "Connections that the system did not hand over."),
        (Self::HandshakeFailed, "handshake_failures", "TLS handshakes that failed or took too long."),
        (Self::InstanceMade, "instances_made", "Instances of the guest made."),
        (
            Self::InstanceReused,
            "instances_reused",
            "Requests given to an instance that had served one before.",
        ),
        (Self::InstanceTrapped, "instances_trapped", "Instances that ended in a trap or were stopped."),
        (Self::Swapped, "swaps", "Artefacts taken into service after the first."),
        (Self::SwapRefused, "swaps_refused", "Artefacts refused at a reload."),
        (Self::ShelfKept, "shelves_kept", "Shelves answered without the guest, from what it said lately."),
    ];
}

impl Gauge {
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Connections, "connections", "Open connections, of the admin listener too."),
        (Self::InFlight, "in_flight", "Requests being answered."),
        (Self::Instances, "instances", "Instances of the guest."),
    ];
}

/// Status classes, 1xx to 5xx.
const CLASSES: usize = 5;
/// Answered, or refused for one of these reasons.
const OUTCOMES: usize = Refusal::ALL.len() + 1;

/// The host's counters.
#[derive(Default)]
pub(crate) struct Metrics {
    counts: [AtomicU64; Count::ALL.len()],
    gauges: [AtomicU64; Gauge::ALL.len()],
    requests: Requests,
    seconds: [Histogram; RouteKind::ALL.len()],
    calls: [AtomicU64; CallFailure::ALL.len() + 1],
    call_seconds: Histogram,
}

/// By route, outcome and status class.
struct Requests(Vec<AtomicU64>);

impl Default for Requests {
    fn default() -> Self {
        let all = RouteKind::ALL.len() * OUTCOMES * CLASSES;
        Self((0..all).map(|_| AtomicU64::new(0)).collect())
    }
}

/// A gauge that is one higher until this is dropped.
pub(crate) struct Up {
    metrics: Arc<Metrics>,
    gauge: Gauge,
}

impl Metrics {
    pub(crate) fn count(&self, count: Count) {
        add(self.counts.get(count as usize));
    }

    pub(crate) fn up(self: &Arc<Self>, gauge: Gauge) -> Up {
        add(self.gauges.get(gauge as usize));
        Up { metrics: Arc::clone(self), gauge }
    }

    /// A request was answered, as far as the head of its answer.
    pub(crate) fn answered(&self, route: RouteKind, outcome: Outcome, status: u16, took: Duration) {
        let class = usize::from(status / 100).saturating_sub(1).min(CLASSES - 1);
        add(self.requests.0.get(index(route, outcome, class)));
        if let Some(histogram) = self.seconds.get(route as usize) {
            histogram.observe(took);
        }
    }

    /// A cell was called: the time to the head of its answer, or why there is none.
    pub(crate) fn called(&self, failure: Option<CallFailure>, took: Duration) {
        add(self.calls.get(failure.map_or(0, |failure| failure as usize + 1)));
        if failure.is_none() {
            self.call_seconds.observe(took);
        }
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        if let Some(value) = self.metrics.gauges.get(self.gauge as usize) {
            value.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn index(route: RouteKind, outcome: Outcome, class: usize) -> usize {
    let outcome_index = match outcome {
        Outcome::Answered => 0,
        Outcome::Refused(refusal) => refusal as usize + 1,
    };
    (route as usize * OUTCOMES + outcome_index) * CLASSES + class
}

fn add(counter: Option<&AtomicU64>) {
    if let Some(counter) = counter {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}
