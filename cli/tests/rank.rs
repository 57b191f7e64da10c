//! `domicile rank` against an edge that plays tricks: whatever becomes of the answer, there is a list.
#![expect(
    clippy::unwrap_used,
    reason = "a test may fail, its helpers too; clippy knows tests by their attribute only"
)]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const LIST: &str = r#"{"items":[{"title":"Tea"}]}"#;

/// What the edge does once it has the sealed request.
#[derive(Clone, Copy)]
enum Trick {
    /// Half an answer, then the connection ends.
    BreaksOff,
    /// The head of an answer, and then nothing for as long as the caller stays.
    Hangs,
    /// A problem document.
    Refuses,
}

/// Serves shelves, and the trick to whoever posts. Ends with the process.
fn edge(trick: Trick) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            std::thread::spawn(move || answer(stream, trick));
        }
    });
    format!("http://{address}")
}

fn answer(mut stream: TcpStream, trick: Trick) {
    while let Some(head) = head(&mut stream) {
        let whole = |status: &str, kind: &str, body: &str| {
            format!(
                "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            )
        };
        if head.starts_with("GET ") {
            stream.write_all(whole("200 OK", "application/json", LIST).as_bytes()).unwrap();
            continue;
        }
        let begun = "HTTP/1.1 200 OK\r\ndomicile-outcome: relayed\r\ncontent-length: 4096\r\n\r\nhalf";
        match trick {
            Trick::BreaksOff => stream.write_all(begun.as_bytes()).unwrap(),
            Trick::Hangs => {
                stream.write_all(begun.as_bytes()).unwrap();
                // Until the caller hangs up, however much of its body is still to come.
                let _ = std::io::copy(&mut stream, &mut std::io::sink());
            }
            Trick::Refuses => {
                let problem = r#"{"code":"pin-expired","title":"the pin's epoch is over"}"#;
                let text = whole("403 Forbidden", "application/problem+json", problem);
                stream.write_all(text.as_bytes()).unwrap();
            }
        }
        return;
    }
}

/// Reads up to the end of a request's head.
fn head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.extend_from_slice(&byte);
    }
    String::from_utf8(head).ok()
}

fn rank(edge: &str, more: &[&str]) -> Output {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/demo");
    let mut command = Command::new(env!("CARGO_BIN_EXE_domicile"));
    command.args(["rank", "--edge", edge, "--locale", "de-DE", "--shopper", "1"]);
    command.arg("--topology").arg(demo.join("topology.toml"));
    command.arg("--pin-key").arg(demo.join("keys/pin.jwk")).args(more).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn an_answer_that_breaks_off_leaves_the_list() {
    let output = rank(&edge(Trick::BreaksOff), &["--json"]);
    let said = json(&output);
    assert_eq!(said.pointer("/reason").unwrap(), "answer-lost");
    assert_eq!(said.pointer("/list/items/0/title").unwrap(), "Tea");
    assert!(String::from_utf8_lossy(&output.stderr).contains("the answer broke off"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_answer_that_never_ends_leaves_the_list_at_the_page_limit() {
    let output = rank(&edge(Trick::Hangs), &["--json"]);
    let said = json(&output);
    assert_eq!(said.pointer("/reason").unwrap(), "page-limit");
    assert_eq!(said.pointer("/list/items/0/title").unwrap(), "Tea");
    assert!(said.pointer("/latency_ms").unwrap().as_f64().unwrap() >= 900.0, "the demo's page_limit_ms");
}

#[test]
fn a_refusal_is_words_for_a_person_and_a_document_for_a_script() {
    let edge = edge(Trick::Refuses);
    let person = rank(&edge, &[]);
    assert!(person.stdout.is_empty());
    assert_eq!(
        String::from_utf8(person.stderr).unwrap(),
        "domicile: de-DE / home: pin-expired: the pin's epoch is over\n"
    );
    assert_eq!(json(&rank(&edge, &["--json"])).pointer("/problem/code").unwrap(), "pin-expired");
    assert_eq!(person.status.code(), Some(1));
}
