use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream as Caller};
use std::sync::atomic::{AtomicBool, Ordering};

use axum::routing::get;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::*;

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(3_600);
const UNUSED: Duration = Duration::from_millis(200);
/// How long a test waits for what has to come.
const PATIENCE: Duration = Duration::from_secs(30);
/// More than the kernel keeps for a connection that nobody reads from.
const LARGE: usize = 64 * 1024 * 1024;

struct Served {
    address: SocketAddr,
    connections: Arc<Connections>,
    stop: Option<watch::Sender<()>>,
    task: JoinHandle<()>,
    /// Whether `/wait` was asked for.
    waiting: Arc<AtomicBool>,
    release: Arc<Notify>,
}

#[expect(clippy::disallowed_methods, reason = "the listener's task, which the test joins")]
async fn serve(connections: u32, head: Duration, write: Duration) -> Served {
    let release = Arc::new(Notify::new());
    let waiting = Arc::<AtomicBool>::default();
    let asked = Arc::clone(&waiting);
    let wait = move |waits: Arc<Notify>| {
        asked.store(true, Ordering::Relaxed);
        async move { waits.notified().await }
    };
    let (waits, releases) = (Arc::clone(&release), Arc::clone(&release));
    let routes = Router::new()
        .route("/", get(|| async { "here" }))
        .route("/large", get(|| async { vec![0u8; LARGE] }))
        .route("/wait", get(move || wait(waits)))
        .route("/release", get(move || async move { releases.notify_one() }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopping) = watch::channel(());
    let terms = Terms { connections, head, write, unused: UNUSED };
    let connections = Arc::new(Connections::new(Door::Sealed, terms, Clock::start(), |_| {}));
    let serving = Arc::clone(&connections);
    let task = tokio::spawn(async move { serving.serve(listener, routes, stopping).await });
    Served { address, connections, stop: Some(stop), task, waiting, release }
}

impl Served {
    /// A caller that has said `text`.
    fn say(&self, text: &str) -> Caller {
        let mut caller = Caller::connect(self.address).unwrap();
        caller.set_read_timeout(Some(PATIENCE)).unwrap();
        caller.write_all(text.as_bytes()).unwrap();
        caller
    }

    /// Whether a new connection is served; one too many is closed without a word, maybe while it is being written to.
    fn takes_one(&self) -> bool {
        let mut caller = Caller::connect(self.address).unwrap();
        let said = caller.write_all(get_of("/").as_bytes());
        said.is_ok() && answer(caller).ends_with("here")
    }

    fn until(&self, is_so: impl Fn(&Self) -> bool) {
        let clock = Clock::start();
        let begun = clock.now();
        while !is_so(self) {
            assert!(clock.now().since(begun) < PATIENCE, "never");
            std::thread::yield_now();
        }
    }
}

fn get_of(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: cell\r\nconnection: close\r\n\r\n")
}

/// Everything until the connection ends, in whichever way.
fn answer(mut caller: Caller) -> String {
    let mut answer = Vec::new();
    let _ = caller.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_does_not_read_loses_its_place() {
    let served = serve(1, LONG, Duration::from_millis(30)).await;
    let _silent = served.say(&get_of("/large"));
    served.until(Served::takes_one);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_head_loses_its_place_and_one_too_many_is_closed() {
    let served = serve(1, Duration::from_millis(300), LONG).await;
    let half = served.say("GET / HTTP/1.1\r\nhost:");
    served.until(|served| served.connections.open() == 1);
    assert!(!served.takes_one());
    assert_eq!(answer(half), "", "no answer to half a question");
    served.until(Served::takes_one);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newcomer_gets_the_place_of_one_that_asked_nothing_and_nobody_else_goes() {
    let served = serve(5, LONG, LONG).await;
    let waits = served.say(&get_of("/wait"));
    served.until(|served| served.waiting.load(Ordering::Relaxed));
    let mut slow = served.say(&get_of("/large"));
    slow.read_exact(&mut [0; 12]).unwrap();
    let half = served.say("GET / HTTP/1.1\r\nhost:");
    served.until(|served| served.connections.open() == 3);
    let mut silent = served.say("");
    served.until(|served| served.connections.open() == 4);
    let mut kept = served.say("GET / HTTP/1.1\r\nhost: cell\r\n\r\n");
    kept.read_exact(&mut [0; 15]).unwrap();
    served.until(Served::takes_one);
    assert_eq!(answer(half), "", "the one that had asked nothing for longest");
    for still in [&mut silent, &mut kept] {
        still.write_all(get_of("/").as_bytes()).unwrap();
    }
    assert!(answer(silent).contains("200 OK") && answer(kept).contains("200 OK"));
    served.release.notify_one();
    assert!(answer(waits).contains("200 OK"));
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).unwrap();
    assert!(rest.len() > LARGE, "all of an answer that was being read");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_only_listens_is_answered() {
    let served = serve(4, LONG, LONG).await;
    let caller = served.say(&get_of("/wait"));
    caller.shutdown(Shutdown::Write).unwrap();
    assert!(answer(served.say(&get_of("/release"))).contains("200 OK"));
    assert!(answer(caller).contains("200 OK"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_waits_for_what_was_asked_and_not_for_half_a_head() {
    let mut served = serve(4, LONG, LONG).await;
    let half = served.say("GET / HTTP/1.1\r\nhost:");
    let mut again = served.say("GET / HTTP/1.1\r\nhost: cell\r\n\r\n");
    let mut first = [0; 12];
    again.read_exact(&mut first).unwrap();
    again.write_all(b"GET / HT").unwrap();
    let asked = served.say(&get_of("/wait"));
    served.until(|served| served.waiting.load(Ordering::Relaxed));
    served.stop = None;
    assert_eq!(answer(half), "");
    served.release.notify_one();
    assert!(answer(asked).contains("200 OK"));
    timeout(PATIENCE, served.task).await.expect("it stopped").unwrap();
}

#[test]
fn a_head_names_one_host() {
    let heads = |hosts: &[&'static str]| {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(HOST, axum::http::HeaderValue::from_static(host));
        }
        names_one_host(&headers)
    };
    assert!(heads(&["cell"]) && heads(&["127.0.0.1:7101"]) && heads(&["[::1]:80"]));
    for hosts in [&[][..], &["a", "a"], &[""], &["a b"], &["user@cell"], &["a/b"]] {
        assert!(!heads(hosts), "{hosts:?}");
    }
}
