//! Readiness, on its own listener.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use domicile_edge::{AdminReach, Drained, Settings, Told};
use http::Method;
use tokio::sync::Notify;

use crate::cell::{Cell, Does};
use crate::client::{get, send};
use crate::fixture::{Artefact, LIST, SHELF, sealed};
use crate::host::{Host, any_port, settings};

const READY: &str = "/ready";

/// Waits for what has to come soon; a test fails that would wait for ever.
pub(crate) async fn soon<T>(what: &str, waited: impl Future<Output = T>) -> T {
    let within = Duration::from_secs(20);
    tokio::time::timeout(within, waited).await.unwrap_or_else(|_| panic!("{what}: not within {within:?}"))
}

async fn leaving(admin: SocketAddr) {
    soon("/ready to say 503", async {
        while get(admin, READY).await.status.as_u16() != 503 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

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
            leaving(admin).await;
            told.notify_one();
        };
        tokio::join!(stopped, watching).0
    };
    let (answer, drained) = tokio::join!(open, stopping);
    assert_eq!((answer.text(), drained), ("late", Drained::Clean));
}

/// A lame duck of an hour: what ends it is a second word, not the clock.
#[tokio::test]
async fn it_serves_on_for_a_while_once_it_says_that_it_is_leaving() {
    let artefact = Artefact::listing("milk");
    let mut settings = Settings { admin: any_port(), ..settings(&artefact.path(), &[]) };
    settings.clocks.lame_duck = Duration::from_secs(3_600);
    let host = Host::start(settings).await;
    let admin = host.admin.unwrap();
    assert_eq!(get(admin, READY).await.status.as_u16(), 200);
    host.tell(Told::Leave);
    leaving(admin).await;
    for _ in 0..3 {
        assert_eq!(get(host.address, SHELF).await.text(), LIST, "over a new connection");
    }
    assert_eq!(get(admin, "/live").await.status.as_u16(), 200);
    let address = host.address;
    assert_eq!(host.stop().await, Drained::Clean);
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn its_time_as_a_lame_duck_ends_by_itself() {
    let artefact = Artefact::listing("milk");
    let mut settings = Settings { admin: any_port(), ..settings(&artefact.path(), &[]) };
    settings.clocks.lame_duck = Duration::from_millis(1);
    let host = Host::start(settings).await;
    host.tell(Told::Leave);
    assert_eq!(host.ended().await, Drained::Clean);
}

/// Where nobody can ask whether it is ready, nobody has to be waited for.
#[tokio::test]
async fn without_an_admin_address_it_leaves_at_once() {
    let artefact = Artefact::listing("milk");
    let mut settings = settings(&artefact.path(), &[]);
    settings.clocks.lame_duck = Duration::from_secs(3_600);
    let host = Host::start(settings).await;
    host.tell(Told::Leave);
    assert_eq!(host.ended().await, Drained::Clean);
}

#[tokio::test]
async fn an_admin_address_for_others_shows_but_takes_no_reload_from_them() {
    let artefact = Artefact::listing("milk");
    let admin = Some(SocketAddr::from(([0, 0, 0, 0], 0)));
    let reach = AdminReach::Beyond;
    let host = Host::start(Settings { admin, admin_reach: reach, ..settings(&artefact.path(), &[]) }).await;
    let port = host.admin.unwrap().port();
    let here = SocketAddr::from(([127, 0, 0, 1], port));
    assert_eq!(get(here, READY).await.status.as_u16(), 200);
    assert_eq!(send(here, Method::POST, "/reload", &[], b"").await.status.as_u16(), 200);
    // Over an address that other machines know, where this machine has one; `admin.rs` decides it for any.
    let probe = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    if probe.connect("192.0.2.1:9").is_ok() {
        let there = SocketAddr::from((probe.local_addr().unwrap().ip(), port));
        if !there.ip().is_loopback() {
            assert_eq!(get(there, READY).await.status.as_u16(), 200);
            assert_eq!(send(there, Method::POST, "/reload", &[], b"").await.status.as_u16(), 403);
        }
    }
    host.stop().await;
}
