//! The identity service as a process, and a caller that says exactly what it wants to say.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::run;
use crate::world::{World, demo, domicile, said};

/// A test that waits longer for anything hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running service.
pub(crate) struct Service {
    child: Child,
    pub(crate) address: String,
    _world: World,
}

/// What it answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Service {
    pub(crate) fn start(more: &[&str]) -> Self {
        let world = World::new();
        let token_key = world.path("token.jwk");
        said(run!("key", "token", "new", "--out", &token_key));
        let mut command = domicile();
        command.args(["identity", "--listen", "127.0.0.1:0", "--topology"]).arg(demo("topology.toml"));
        command.arg("--pin-key").arg(demo("keys/pin.jwk")).arg("--token-key").arg(&token_key).args(more);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("ready http://").expect("ready").to_owned();
        Self { child, address, _world: world }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// One request of its own connection; `head` are further header lines.
    pub(crate) fn call(&self, method: &str, path: &str, head: &[&str], body: &str) -> Answer {
        let mut stream = self.connect();
        let head: String = head.iter().map(|line| format!("{line}\r\n")).collect();
        let host = &self.address;
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n{head}\r\n{body}"
        )
        .unwrap();
        Answer::read(stream)
    }

    pub(crate) fn login(&self, shopper: &str) -> String {
        let answer = self.call("POST", "/v1/login", &[], &format!("{{\"shopper\":{shopper:?}}}"));
        assert_eq!(answer.status, 204);
        answer.cookie().expect("a cookie")
    }

    /// A token's answer, for the session of a cookie if there is one.
    pub(crate) fn token(&self, cookie: Option<&str>) -> Answer {
        let cookie = cookie.map(|cookie| format!("cookie: other=1; {cookie}"));
        self.call("POST", "/v1/token", &cookie.iter().map(String::as_str).collect::<Vec<_>>(), DE)
    }

    /// Tells it to stop by a signal, and waits until it has.
    pub(crate) fn stop(mut self, signal: &str) -> Option<i32> {
        let mut kill = std::process::Command::new("kill");
        let told = kill.args(["-s", signal]).arg(self.child.id().to_string()).status().unwrap();
        assert!(told.success());
        self.child.wait().unwrap().code()
    }
}

/// The body of a token's request.
pub(crate) const DE: &str = "{\"locale\":\"de-DE\"}";

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    pub(crate) fn read(mut stream: TcpStream) -> Self {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("a whole answer");
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let pair =
            |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { status, head: lines.filter_map(pair).collect(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The session's cookie, as it is sent back.
    pub(crate) fn cookie(&self) -> Option<String> {
        self.header("set-cookie").map(|cookie| cookie.split(';').next().unwrap().to_owned())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap().to_owned()
    }
}
