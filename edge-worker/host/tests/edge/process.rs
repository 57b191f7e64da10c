//! The program itself: its flags, its readiness line, its end.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use http::Method;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

use crate::admin::soon;
use crate::cell::{Cell, Does};
use crate::client;
use crate::fixture::{Artefact, LIST, SHELF, sealed};
use crate::guests::Wrong;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_domicile-edge"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn fails(arguments: &[&str]) -> (Option<i32>, String) {
    let output = program().args(arguments).output().unwrap();
    assert!(output.stdout.is_empty());
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// A running program; it is killed when a test fails.
pub(crate) struct Running {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Running {
    pub(crate) fn start(artefact: &Path, arguments: &[&str]) -> Self {
        Self::launch(program(), artefact, arguments)
    }

    fn launch(mut command: Command, artefact: &Path, arguments: &[&str]) -> Self {
        let mut child = command
            .arg("--artefact")
            .arg(artefact)
            .args(["--listen", "127.0.0.1:0", "--in-flight", "8"])
            .args(arguments)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let ready = line.trim_end().strip_prefix("ready ").expect("a readiness line");
        let address = ready.split_once("://").unwrap().1.parse().unwrap();
        Self { child, address }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Waits for the end; says the exit code and what was logged.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().code(), log)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_bad_flag_is_one_line_and_exit_2() {
    for arguments in [
        &["--artefact", "edge.wasm", "--no-such-flag"][..],
        &["--artefact", "edge.wasm", "--listen", "nowhere"],
        &["--artefact", "edge.wasm", "--allow-outbound", "cell.example"],
        &["--artefact", "edge.wasm", "--max-header", "1"],
        &["--artefact", "edge.wasm", "--strip", "maybe"],
        &["--artefact", "edge.wasm", "--prepare"],
        &["--artefact", "edge.wasm", "--tls-cert", "cert.pem"],
        &["--artefact", "edge.wasm", "--burst", "3"],
        &["--artefact", "edge.wasm", "--unsigned", "--manifest-key", "key.jwk"],
        &["--artefact", "edge.wasm", "--listen", "0.0.0.0:0"],
        &["--artefact", "edge.wasm", "--listen", "127.0.0.1:0", "--admin", "0.0.0.0:0"],
        &["--artefact", "edge.wasm", "--admin-beyond-loopback"],
        &["--artefact", "edge.wasm", "--connections-per-address", "0"],
        &[],
    ] {
        let (code, said) = fails(arguments);
        assert_eq!((code, said.lines().count()), (Some(2), 1), "{said}");
    }
}

#[test]
fn a_missing_artefact_is_one_line_and_exit_3() {
    let (code, said) = fails(&["--artefact", "no/such/edge.wasm", "--listen", "127.0.0.1:0"]);
    assert_eq!((code, said.lines().count()), (Some(3), 1), "{said}");
}

#[test]
fn help_documents_the_exit_codes() {
    let output = program().arg("--help").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("Exit codes:"), "{said}");
}

#[test]
fn it_stops_on_either_signal() {
    let artefact = Artefact::wrong(Wrong::Traps);
    for name in ["TERM", "INT"] {
        let running = Running::start(&artefact.path(), &[]);
        running.signal(name);
        let (code, log) = running.end();
        assert_eq!(code, Some(0), "{log}");
    }
}

#[tokio::test]
async fn a_request_in_flight_is_finished_first() {
    let told = Arc::new(Notify::new());
    let cell = Cell::start(Does::Waits(Arc::clone(&told))).await;
    let artefact = Artefact::relay(cell.address);
    let allowed = cell.address.to_string();
    let running = Running::start(&artefact.path(), &["--allow-outbound", &allowed, "--log-level", "debug"]);
    let (address, path) = (running.address, sealed());
    let open = client::send(address, Method::POST, &path, &[("user-agent", "canary")], b"sealed");
    let stopping = async {
        cell.arrived().await;
        running.signal("TERM");
        soon("the listener to close", async {
            while TcpStream::connect(address).await.is_ok() {
                tokio::task::yield_now().await;
            }
        })
        .await;
        told.notify_one();
    };
    let (answer, ()) = tokio::join!(open, stopping);
    assert_eq!((answer.status.as_u16(), answer.text()), (200, "late"));
    let (code, log) = running.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("/v1/sealed") && log.contains("status=200"), "{log}");
    for never in ["canary", "127.0.0.1", path.as_str()] {
        assert!(!log.contains(never), "{never} in {log}");
    }
}

#[tokio::test]
async fn what_is_not_finished_within_the_drain_limit_is_cut() {
    let cell = Cell::start(Does::Drips(std::time::Duration::from_millis(20))).await;
    let artefact = Artefact::relay(cell.address);
    let allowed = cell.address.to_string();
    let running = Running::start(&artefact.path(), &["--drain-ms", "50", "--allow-outbound", &allowed]);
    let begun = client::begin(running.address, Method::POST, &sealed(), &[], b"sealed").await;
    running.signal("TERM");
    let (answer, ended) = tokio::join!(begun.finish(), spawn_blocking(|| running.end()));
    assert!(answer.body.is_none());
    let (code, log) = ended.unwrap();
    assert_eq!(code, Some(5), "{log}");
}

#[tokio::test]
async fn a_prepared_cache_is_used_and_an_open_one_refused() {
    let artefact = Artefact::listing("milk");
    let (path, cache) = (artefact.path(), artefact.beside("cache"));
    let arguments =
        ["--artefact", path.to_str().unwrap(), "--cache-dir", cache.to_str().unwrap(), "--prepare"];
    let prepared = program().args(arguments).output().unwrap();
    assert!(
        prepared.status.success() && prepared.stdout.is_empty() && prepared.stderr.is_empty(),
        "{prepared:?}"
    );
    assert!(cache.join("modules").is_dir());

    let running = Running::start(&path, &["--cache-dir", cache.to_str().unwrap()]);
    assert_eq!(client::get(running.address, SHELF).await.text(), LIST);
    drop(running);

    std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o777)).unwrap();
    let (code, said) = fails(&arguments);
    assert_eq!((code, said.lines().count()), (Some(2), 1), "{said}");
    assert!(said.contains("others can write"), "{said}");
    std::fs::remove_dir_all(&cache).unwrap();
}

#[tokio::test]
async fn a_lame_duck_serves_on_and_a_second_signal_ends_it() {
    let artefact = Artefact::listing("milk");
    let admin = Cell::down().await;
    let running = Running::start(
        &artefact.path(),
        &["--admin", &admin.to_string(), "--lame-duck-ms", "3600000", "--keep-shelves", "off"],
    );
    running.signal("TERM");
    soon("/ready to say 503", async { while client::get(admin, "/ready").await.status.as_u16() != 503 {} })
        .await;
    assert_eq!(client::get(running.address, SHELF).await.text(), LIST);
    running.signal("TERM");
    let (code, log) = running.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("leaving") && log.contains("draining"), "{log}");
}

#[tokio::test]
async fn a_hangup_swaps_the_artefact() {
    let (artefact, next) = (Artefact::listing("milk"), Artefact::listing("bread"));
    let running = Running::start(&artefact.path(), &[]);
    assert!(client::get(running.address, SHELF).await.text().contains("milk"));
    artefact.becomes(&next.bytes());
    running.signal("HUP");
    soon("the list without milk", async {
        while client::get(running.address, SHELF).await.text().contains("milk") {}
    })
    .await;
    assert!(client::get(running.address, SHELF).await.text().contains("bread"));
    running.signal("TERM");
    let (code, log) = running.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("artefact swapped") && log.contains(&next.sha256()), "{log}");
}

#[tokio::test]
async fn who_takes_every_connection_does_not_take_the_admins() {
    let artefact = Artefact::listing("milk");
    let admin = Cell::down().await;
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -n 100; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_domicile-edge")])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let running =
        Running::launch(limited, &artefact.path(), &["--admin", &admin.to_string(), "--lame-duck-ms", "0"]);
    let mut open = Vec::new();
    for _ in 0..200 {
        open.push(client::opened(running.address, b"").await);
    }
    // 100 files, of which 72 are not for shoppers' connections.
    let metrics = client::get(admin, "/metrics").await;
    assert!(metrics.text().contains("domicile_edge_accept_failures_total 0\n"), "{}", metrics.text());
    assert!(client::get(admin, "/ready").await.text().starts_with("ready "));
    drop(open);
    running.signal("TERM");
    let (code, log) = running.end();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("connections=28"), "{log}");
}
