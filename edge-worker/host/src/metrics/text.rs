//! The exposition.

use std::sync::atomic::{AtomicU64, Ordering};

use domicile_telemetry::{head, line};

use super::{CLASSES, Count, Gauge, Metrics, index};
use crate::artefact::About;
use crate::inbound::refusal::Outcome;
use crate::inbound::route::RouteKind;
use crate::outbound::CallFailure;

impl Metrics {
    /// Everything counted so far, and what there is to know of the artefact that serves `now`, seconds since 1970.
    pub(crate) fn render(&self, about: &About, now: i64) -> String {
        let mut text = String::with_capacity(16 * 1024);
        head(&mut text, "domicile_edge_artefact", "gauge", "1, for the artefact that serves.");
        line(&mut text, "domicile_edge_artefact", &format!("sha256=\"{}\"", about.sha256), 1);
        if let Some(stated) = &about.stated {
            let ends = [
                (
                    "domicile_edge_lists_seconds_left",
                    "Seconds until its lists are stale.",
                    Some(stated.lists_until),
                ),
                (
                    "domicile_edge_pins_seconds_left",
                    "Seconds until it knows no pin any more.",
                    Some(stated.pins_until),
                ),
                (
                    "domicile_edge_routes_seconds_left",
                    "Seconds until clients refuse its route manifests and seal nothing; absent where it has none.",
                    stated.routes_until,
                ),
            ];
            for (name, help, until) in
                ends.into_iter().filter_map(|(name, help, until)| Some((name, help, until?)))
            {
                head(&mut text, name, "gauge", help);
                line(&mut text, name, "", until.saturating_sub(now));
            }
            let name = "domicile_edge_topology_serial";
            head(&mut text, name, "gauge", "The serial of the topology it was built for.");
            line(&mut text, name, "", stated.topology_serial);
        }
        for ((_, name, help), value) in Gauge::ALL.iter().zip(&self.gauges) {
            let name = format!("domicile_edge_{name}");
            head(&mut text, &name, "gauge", help);
            line(&mut text, &name, "", read(value));
        }
        for ((_, name, help), value) in Count::ALL.iter().zip(&self.counts) {
            let name = format!("domicile_edge_{name}_total");
            head(&mut text, &name, "counter", help);
            line(&mut text, &name, "", read(value));
        }
        self.requests(&mut text);
        self.calls(&mut text);
        text
    }

    fn requests(&self, text: &mut String) {
        let name = "domicile_edge_requests_total";
        head(text, name, "counter", "Requests by route, outcome and status class.");
        for route in RouteKind::ALL {
            for outcome in Outcome::all() {
                for class in 0..CLASSES {
                    let counted = self.requests.0.get(index(route, outcome, class)).map_or(0, read);
                    if counted > 0 {
                        let labels = format!(
                            "route=\"{route}\",outcome=\"{}\",status=\"{}xx\"",
                            outcome.code(),
                            class + 1
                        );
                        line(text, name, &labels, counted);
                    }
                }
            }
        }
        let name = "domicile_edge_request_seconds";
        head(text, name, "histogram", "Time from a request's head to the head of its answer.");
        for (route, histogram) in RouteKind::ALL.into_iter().zip(&self.seconds) {
            histogram.render(text, name, &format!("route=\"{route}\""));
        }
    }

    fn calls(&self, text: &mut String) {
        let name = "domicile_edge_cell_calls_total";
        head(text, name, "counter", "Calls to cells by what came of them.");
        let failures = CallFailure::ALL.iter().map(ToString::to_string);
        for (outcome, value) in std::iter::once("answered".to_owned()).chain(failures).zip(&self.calls) {
            line(text, name, &format!("outcome=\"{outcome}\""), read(value));
        }
        let name = "domicile_edge_cell_seconds";
        head(text, name, "histogram", "Time from a call to the head of the cell's answer.");
        self.call_seconds.render(text, name, "outcome=\"answered\"");
    }
}

fn read(value: &AtomicU64) -> u64 {
    value.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Count, Gauge, Metrics, RouteKind};
    use crate::artefact::{About, Stated};
    use crate::inbound::refusal::{Outcome, Refusal};
    use crate::outbound::CallFailure;

    #[test]
    fn the_text_holds_what_was_counted() {
        let metrics = Arc::<Metrics>::default();
        let took = Duration::from_millis(3);
        metrics.answered(RouteKind::Shelf, Outcome::Answered, 200, took);
        metrics.answered(RouteKind::Sealed, Outcome::Refused(Refusal::GuestTimedOut), 504, took);
        metrics.called(Some(CallFailure::Broken), took);
        metrics.count(Count::SwapRefused);
        let up = metrics.up(Gauge::Instances);
        let stated =
            Stated { lists_until: 1_060, pins_until: 940, routes_until: Some(1_030), topology_serial: 7 };
        let about = About { sha256: "ab".to_owned(), stated: Some(stated) };
        let text = metrics.render(&about, 1_000);
        for expected in [
            "domicile_edge_artefact{sha256=\"ab\"} 1\n",
            "domicile_edge_lists_seconds_left 60\n",
            "domicile_edge_pins_seconds_left -60\n",
            "domicile_edge_routes_seconds_left 30\n",
            "domicile_edge_topology_serial 7\n",
            "domicile_edge_instances 1\n",
            "domicile_edge_connections 0\n",
            "domicile_edge_swaps_refused_total 1\n",
            "domicile_edge_swaps_total 0\n",
            "domicile_edge_requests_total{route=\"/v1/shelf\",outcome=\"answered\",status=\"2xx\"} 1\n",
            "domicile_edge_requests_total{route=\"/v1/sealed\",outcome=\"edge-timed-out\",status=\"5xx\"} 1\n",
            "domicile_edge_request_seconds_count{route=\"/v1/shelf\"} 1\n",
            "domicile_edge_cell_calls_total{outcome=\"broken\"} 1\n",
            "domicile_edge_cell_calls_total{outcome=\"answered\"} 0\n",
        ] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
        drop(up);
        assert!(metrics.render(&about, 0).contains("domicile_edge_instances 0\n"));
    }

    /// Discriminants are indices.
    #[test]
    fn every_kind_is_listed_where_it_is_counted() {
        assert!(Count::ALL.iter().enumerate().all(|(at, (count, ..))| *count as usize == at));
        assert!(Gauge::ALL.iter().enumerate().all(|(at, (gauge, ..))| *gauge as usize == at));
        assert!(RouteKind::ALL.iter().enumerate().all(|(at, route)| *route as usize == at));
        assert!(Refusal::ALL.iter().enumerate().all(|(at, refusal)| *refusal as usize == at));
        assert!(CallFailure::ALL.iter().enumerate().all(|(at, failure)| *failure as usize == at));
    }
}
