//! Readiness, on its own listener.

use std::net::SocketAddr;
use std::sync::Arc;

use domicile_edge::{Drained, Settings};
use http::Method;
use tokio::sync::Notify;

use crate::cell::{Cell, Does};
use crate::client::{get, send};
use crate::fixture::{Artefact, sealed};
use crate::host::{Host, settings};

const READY: &str = "/ready";

#[tokio::test]
async fn it_is_ready_until_it_drains() {
    let told = Arc::new(Notify::new());
    let cell = Cell::start(Does::Waits(Arc::clone(&told))).await;
    let artefact = Artefact::relay(cell.address);
    let admin = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let host = Host::start(Settings { admin, ..settings(&artefact.path(), &[cell.address]) }).await;
    let (address, admin, path) = (host.address, host.admin.unwrap(), sealed());

    let ready = get(admin, READY).await;
    assert_eq!(
        (ready.status.as_u16(), ready.text()),
        (200, format!("ready {}\n", artefact.sha256()).as_str())
    );
    assert_eq!(get(admin, "/live").await.text(), "live\n");
    assert_eq!(get(admin, "/").await.status.as_u16(), 404);
    assert_eq!(get(address, READY).await.status.as_u16(), 404, "not for everyone");

    let open = send(address, Method::POST, &path, &[], b"sealed");
    let stopping = async {
        cell.arrived().await;
        let stopped = host.stop();
        let watching = async {
            while get(admin, READY).await.status.as_u16() != 503 {
                tokio::task::yield_now().await;
            }
            told.notify_one();
        };
        tokio::join!(stopped, watching).0
    };
    let (answer, drained) = tokio::join!(open, stopping);
    assert_eq!((answer.text(), drained), ("late", Drained::Clean));
}
