//! The admin listener: readiness, liveness, metrics, status. Loopback unless told otherwise; nothing personal.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde_json::{Value, json};

use crate::cell::Cell;
use crate::gateway::{Gateway, outer};
use crate::listen::{Connections, names_one_host};
use crate::ranker::speeds::Task;
use crate::telemetry::Turned;

const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

#[derive(Clone)]
struct Admin {
    cell: Arc<Cell>,
    gateway: Gateway,
    sealed: Arc<Connections>,
}

/// The admin routes of a cell. They exist only once everything is loaded and warmed, so ready is what they are.
pub fn routes(cell: Arc<Cell>, gateway: Gateway, sealed: Arc<Connections>) -> Router {
    Router::new()
        .route("/ready", get(|| async { "ready\n" }))
        .route("/live", get(|| async { "live\n" }))
        .route("/metrics", get(metrics))
        .route("/status", get(status))
        .fallback(|| async { outer(StatusCode::NOT_FOUND, "unknown-route") })
        .layer(from_fn(one_host))
        .with_state(Admin { cell, gateway, sealed })
}

async fn one_host(request: Request, next: Next) -> Response {
    if names_one_host(request.headers()) {
        next.run(request).await
    } else {
        outer(StatusCode::BAD_REQUEST, Turned::Host.as_str())
    }
}

async fn metrics(State(admin): State<Admin>) -> Response {
    let stale = admin.cell.overlay.not_after_s <= admin.cell.clock.unix_seconds();
    let mut gauges = vec![
        (
            "domicile_cell_overlay_stale",
            "1 once the overlay's not_after is over.",
            f64::from(u8::from(stale)),
        ),
        ("domicile_cell_in_flight", "Requests in the cell.", admin.gateway.in_flight() as f64),
        ("domicile_cell_connections", "Connections to the gateway.", admin.sealed.open() as f64),
        ("domicile_cell_ranker_outstanding", "Jobs at the rankers.", admin.cell.ranker.outstanding() as f64),
        ("domicile_cell_last_good_rankings", "Last good rankings held.", admin.cell.last_good.len() as f64),
    ];
    let names = [
        "domicile_cell_query_seconds_p95",
        "domicile_cell_full_seconds_p95",
        "domicile_cell_compact_seconds_p95",
    ];
    let speeds = admin.cell.ranker.speeds();
    for (name, task) in names.into_iter().zip(Task::ALL) {
        gauges.push((name, "The ladder's estimate of one run.", speeds.of(task).upper().as_secs_f64()));
    }
    ([(header::CONTENT_TYPE, PROMETHEUS)], admin.cell.telemetry.render(&gauges)).into_response()
}

async fn status(State(admin): State<Admin>) -> axum::Json<Value> {
    let Admin { cell, gateway, .. } = admin;
    let micros = |task| {
        let upper = cell.ranker.speeds().of(task).upper();
        json!(u64::try_from(upper.as_micros()).unwrap_or(u64::MAX))
    };
    let estimates: serde_json::Map<String, Value> =
        Task::ALL.into_iter().map(|task| (task.as_str().to_owned(), micros(task))).collect();
    axum::Json(json!({
        "cell": cell.name,
        "boundary": cell.topology.cell(cell.id).map(|c| c.boundary.clone()),
        "operator": cell.topology.cell(cell.id).map(|c| c.operator.clone()),
        "topology_serial": cell.topology.serial,
        "snapshot": cell.snapshot.id,
        "snapshot_name": cell.snapshot.manifest.name,
        "overlay": cell.overlay.id,
        "overlay_not_after_s": cell.overlay.not_after_s,
        "items": cell.snapshot.items.len(),
        "index": cell.index.name(),
        "cell_budget_ms": cell.topology.clocks.cell_budget_ms,
        "estimates_us_p95": estimates,
        "in_flight": gateway.in_flight(),
        "answers": cell.telemetry.rungs(),
    }))
}
