//! Whether the shop serves its page, and its recorder what reached the edge.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;

use domicile_cluster::Cluster;

/// For an answer of a server on this machine.
const WAIT: Duration = Duration::from_secs(10);

/// Asks the page, and the edge through the recorder; then the recorder, for just that.
///
/// # Errors
/// Names what is missing.
pub(crate) fn check(cluster: &Cluster) -> anyhow::Result<()> {
    let shop = cluster.shop_url().context("there is no shop")?;
    let page = get(shop, "/")?;
    anyhow::ensure!(page.contains("<domicile-shelf"), "the shop's page has no shelf");
    let setup: Value = serde_json::from_str(body(&get(shop, "/demo/setup")?)?)?;
    let edge =
        setup.get("edge").and_then(Value::as_str).context("the shop does not say where its edge is")?;
    let path = "/v1/shelf/en-GB/home";
    anyhow::ensure!(get(edge, path)?.contains("\"rung\":\"list\""), "the recorder passed no list on");
    let saw: Value = serde_json::from_str(body(&get(shop, "/demo/edge-saw")?)?)?;
    let kept = saw.pointer("/exchanges/0/asked/target").and_then(Value::as_str);
    anyhow::ensure!(kept == Some(path), "the recorder did not keep what it passed on");
    Ok(())
}

/// A GET of a server on this machine: the whole answer, which has to be a success.
fn get(origin: &str, path: &str) -> anyhow::Result<String> {
    let address = origin.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).with_context(|| format!("nobody listens on {address}"))?;
    stream.set_read_timeout(Some(WAIT))?;
    // Of HTTP/1.0, so that the answer ends with the connection and comes in one piece.
    write!(stream, "GET {path} HTTP/1.0\r\nhost: {address}\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).with_context(|| format!("no answer to {origin}{path}"))?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let success = answer.lines().next().is_some_and(|line| line.contains(" 200 "));
    anyhow::ensure!(success, "{origin}{path}: {}", answer.lines().next().unwrap_or("no answer"));
    Ok(answer)
}

fn body(answer: &str) -> anyhow::Result<&str> {
    answer.split_once("\r\n\r\n").map(|(_, body)| body).context("an answer without a body")
}
