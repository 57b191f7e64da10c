//! The same artefact under `wasmtime serve`: a shelf, a relayed POST, and the fallback with the cell stopped.
//!
//! Our own host strips headers and caps sizes; this one does neither, so what holds here is the component's doing.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::Context as _;

use domicile_cluster::report::{self, say};
use domicile_cluster::{cluster, paths, ports, process};

use crate::fetch;

/// Everything a cell may see of a relayed request, beside the host's own framing headers.
const MAY_REACH_A_CELL: [&str; 4] = ["host", "content-type", "content-length", "transfer-encoding"];
/// What the stand-in cell answers; the edge must pass it unread.
const SEALED_ANSWER: &str = "sealed-answer";

/// Starts the artefact under `wasmtime serve` and asks it three things.
pub(super) fn check() -> anyhow::Result<()> {
    let folder = paths::target().join("serve");
    std::fs::create_dir_all(&folder)?;
    let port = ports::free(&[8_180])?.first().copied().context("no port")?;
    let cell = TcpListener::bind("127.0.0.1:0")?;
    let cell_port = cell.local_addr()?.port();

    let (topology, out) = (folder.join("topology.toml"), folder.join("edge.wasm"));
    cluster::write_topology(&topology, &[cell_port])?;
    cluster::compose(&topology, &paths::root().join("lists/overlay.dsse.json"), &out)?;
    let mut mint = Command::new(paths::binary("domicile"));
    mint.args(["pin", "mint", "--class", "eu_only", "--topology"]).arg(&topology);
    let pin = process::capture(mint.arg("--key").arg(cluster::demo_file("keys/pin.jwk")))?;
    let route = format!("/v1/sealed/{}/eu-a/de-DE/home", pin.trim());

    let _serving = Serving::start(&out, port)?;
    let shelf = ask(port, "GET", "/v1/shelf/de-DE/home")?;
    anyhow::ensure!(
        shelf.starts_with("HTTP/1.1 200") && shelf.contains("\"items\":["),
        "no shelf: {shelf:.200}"
    );

    let seen = std::thread::spawn(move || one_answer(&cell));
    let relayed = ask(port, "POST", &route)?;
    let seen = seen.join().map_err(|_| anyhow::anyhow!("the stand-in cell failed"))??;
    let lower = relayed.to_ascii_lowercase();
    anyhow::ensure!(
        lower.contains("domicile-outcome: relayed") && relayed.contains(SEALED_ANSWER),
        "the POST was not relayed: {relayed:.300}"
    );
    let names: Vec<String> =
        seen.lines().skip(1).filter_map(|l| l.split_once(':')).map(|(n, _)| n.to_ascii_lowercase()).collect();
    let extra: Vec<&String> = names.iter().filter(|n| !MAY_REACH_A_CELL.contains(&n.as_str())).collect();
    anyhow::ensure!(extra.is_empty(), "headers reached the cell: {extra:?}");

    // The stand-in cell took one connection and is gone: the same request now has to fall back.
    let fallback = ask(port, "POST", &route)?.to_ascii_lowercase();
    anyhow::ensure!(
        fallback.starts_with("http/1.1 200")
            && fallback.contains("domicile-outcome: fallback; reason=cell-failed"),
        "no fallback: {fallback:.300}"
    );
    say("shelf, relayed POST and fallback under wasmtime serve: as they should be");
    Ok(())
}

/// Takes one request and answers it; returns the request's head.
fn one_answer(cell: &TcpListener) -> anyhow::Result<String> {
    let (mut connection, _) = cell.accept()?;
    connection.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && connection.read(&mut byte)? == 1 {
        head.extend_from_slice(&byte);
    }
    write!(
        connection,
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\nset-cookie: a=b\r\n\r\n{SEALED_ANSWER}",
        SEALED_ANSWER.len()
    )?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// One request with everything a browser might add; returns head and body as text.
fn ask(port: u16, method: &str, path: &str) -> anyhow::Result<String> {
    let mut connection = TcpStream::connect(("127.0.0.1", port))?;
    connection.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(
        connection,
        "{method} {path} HTTP/1.1\r\nhost: edge.example\r\nconnection: close\r\ncookie: session=canary\r\n\
         authorization: Bearer canary\r\nreferer: https://shop.example/canary\r\nx-forwarded-for: 192.0.2.1\r\n\
         traceparent: 00-canary-01\r\ncontent-length: 6\r\n\r\nsealed"
    )?;
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// A running `wasmtime serve`.
struct Serving(Child);

impl Serving {
    fn start(artefact: &std::path::Path, port: u16) -> anyhow::Result<Self> {
        let child = Command::new(fetch::wasmtime()?)
            .args(["serve", "-Sp3", "-W", "component-model-async", "--addr"])
            .arg(format!("127.0.0.1:{port}"))
            .arg(artefact)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("cannot start wasmtime serve")?;
        let mut serving = Self(child);
        let started = report::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            anyhow::ensure!(serving.0.try_wait()?.is_none(), "wasmtime serve ended by itself");
            anyhow::ensure!(started.elapsed() < Duration::from_secs(30), "wasmtime serve does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(serving)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
