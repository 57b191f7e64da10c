//! An edge, an identity service and a cell behind one loopback listener, with a trick.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domicile_envelope::{SigningKey, VerifyingKey};
use domicile_receipt::{Receipt, Stated, hash};
use domicile_route::{Clocks, KeyStatement, RouteCell, RouteManifest, RouteSlot, Transport};
use domicile_seal::config::encode_list;
use domicile_seal::{ANSWER_TYPE, Kem, KeyRing, SealingKey, size};
use domicile_wire::{Marks, encode_content};

const LIST: &str = r#"{"items":[{"title":"Tea"}]}"#;
const RANKING: &str = r#"{"items":[],"rung":"full","reason":"within-budget","snapshot":"s","overlay":"o","cell":"eu-a",
    "features":{"state":"fresh","age_s":1},"candidates":{"own":0,"ann":0,"popular":0,"ineligible":0},"elapsed_us":1,
    "stages_us":{}}"#;
/// A day: longer than any test.
const DAY_S: i64 = 86_400;

/// What the edge, or what is behind it, does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trick {
    /// What it should.
    Answers,
    /// Half an answer, then the connection ends.
    BreaksOff,
    /// The head of an answer, and then nothing for as long as the caller stays.
    Hangs,
    /// A problem document.
    Refuses,
    /// Keys of the edge's own.
    SwapsKeys,
    /// A manifest of the edge's own.
    ForgesManifest,
    /// The identity service says that the class has no cell.
    ListOnly,
    /// The identity service is out of order.
    NoGrant,
}

struct Secrets {
    root: SigningKey,
    cell: SigningKey,
    edge: SigningKey,
    sealing: SealingKey,
    ring: KeyRing,
    now_s: i64,
    trick: Trick,
    sealed: AtomicUsize,
}

/// The listener. It ends with the process.
pub(crate) struct Edge {
    pub(crate) origin: String,
    secrets: Arc<Secrets>,
    folder: tempfile::TempDir,
}

impl Edge {
    pub(crate) fn start(trick: Trick) -> Self {
        let sealing = SealingKey::from_seed(1, Kem::X25519, 0, [5; 32]);
        let folder = tempfile::tempdir().unwrap();
        let secrets = Arc::new(Secrets {
            root: SigningKey::generate(),
            cell: SigningKey::generate(),
            edge: SigningKey::generate(),
            ring: KeyRing::new([&sealing]).unwrap(),
            sealing,
            now_s: jiff::Timestamp::now().as_second(),
            trick,
            sealed: AtomicUsize::new(0),
        });
        std::fs::write(folder.path().join("root.jwk"), secrets.root.verifying_key().to_jwk()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::clone(&secrets);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, secrets) = (stream.unwrap(), Arc::clone(&shared));
                std::thread::spawn(move || secrets.serve(stream));
            }
        });
        Self { origin, secrets, folder }
    }

    pub(crate) fn root_key(&self) -> PathBuf {
        self.folder().join("root.jwk")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn cell_key(&self) -> VerifyingKey {
        self.secrets.cell.verifying_key()
    }

    /// Sealed requests so far.
    pub(crate) fn sealed(&self) -> usize {
        self.secrets.sealed.load(Ordering::Relaxed)
    }
}

impl Secrets {
    fn serve(&self, mut stream: TcpStream) {
        while let Some((line, body)) = request(&mut stream) {
            let mut words = line.split(' ');
            let (method, path) = (words.next().unwrap(), words.next().unwrap());
            let answer = match path.split('/').nth(2).unwrap_or_default() {
                "shelf" => whole("200 OK", &["domicile-outcome: list"], LIST.as_bytes()),
                "login" => whole("204 No Content", &["set-cookie: domicile_session=abc; Path=/"], b""),
                "logout" => whole("204 No Content", &[], b""),
                "token" => self.token(),
                "route" => whole("200 OK", &[], self.manifest().as_bytes()),
                "keys" => whole("200 OK", &[], self.statement().as_bytes()),
                "sealed" if method == "POST" => match self.sealed_request(&mut stream, &body) {
                    Some(answer) => answer,
                    None => return,
                },
                _ => whole("404 Not Found", &[], b"{}"),
            };
            stream.write_all(&answer).unwrap();
        }
    }

    fn token(&self) -> Vec<u8> {
        match self.trick {
            Trick::ListOnly => whole("409 Conflict", &[], br#"{"code":"list-only"}"#),
            Trick::NoGrant => whole("503 Service Unavailable", &[], b"out of order"),
            _ => {
                let grant = format!(
                    r#"{{"token":"aa.bb.cc","pin":"PIN","class":"eu_only","home":"eu-a","not_after":{}}}"#,
                    self.now_s + DAY_S
                );
                whole("200 OK", &[], grant.as_bytes())
            }
        }
    }

    fn manifest(&self) -> String {
        let clocks = Clocks { page_limit_ms: 900, cell_budget_ms: 120 };
        let mut manifest = RouteManifest::new("eu_only", 1, clocks, self.now_s, self.now_s + DAY_S);
        manifest.locales = vec!["de-DE".into()];
        manifest.slots = vec![RouteSlot { name: "home".into(), items: 2, relay_wait_ms: 350 }];
        manifest.cells = vec![RouteCell {
            name: "eu-a".into(),
            boundary: "eu".into(),
            weight: 1,
            transport: Transport::Relay,
            answer_bytes: 8_192,
            signing_key: self.cell.verifying_key().to_jwk(),
            next_signing_key: None,
        }];
        manifest.sign(if self.trick == Trick::ForgesManifest { &self.edge } else { &self.root })
    }

    fn statement(&self) -> String {
        let list = encode_list([&self.sealing.config().unwrap()[..]]);
        let statement = KeyStatement::new("eu-a", &list, self.now_s, self.now_s + DAY_S);
        statement.sign(if self.trick == Trick::SwapsKeys { &self.edge } else { &self.cell })
    }

    /// The answer to a sealed request; none when the connection ends with it.
    fn sealed_request(&self, stream: &mut TcpStream, body: &[u8]) -> Option<Vec<u8>> {
        self.sealed.fetch_add(1, Ordering::Relaxed);
        assert_eq!(body.len(), size::REQUEST);
        let begun = "HTTP/1.1 200 OK\r\ndomicile-outcome: relayed\r\ncontent-length: 8192\r\n\r\nhalf";
        match self.trick {
            Trick::BreaksOff => {
                stream.write_all(begun.as_bytes()).unwrap();
                None
            }
            Trick::Hangs => {
                stream.write_all(begun.as_bytes()).unwrap();
                // Until the caller hangs up.
                let _ = std::io::copy(stream, &mut std::io::sink());
                None
            }
            Trick::Refuses => {
                let problem = br#"{"code":"pin-expired","title":"the pin's epoch is over"}"#;
                Some(whole("403 Forbidden", &["content-type: application/problem+json"], problem))
            }
            _ => Some(self.answer(body)),
        }
    }

    fn answer(&self, body: &[u8]) -> Vec<u8> {
        let opened = self.ring.open(body).unwrap();
        let stated = Stated {
            cell: "eu-a",
            boundary: "eu",
            class: "eu_only",
            snapshot: Some("s"),
            rung: "full",
            time_s: self.now_s,
        };
        let receipt = Receipt::new(hash(body), RANKING.as_bytes(), stated).sign(&self.cell);
        let marks = Marks { date_s: Some(self.now_s), receipt: Some(&receipt), steer: None };
        let sealed = opened.answerer.seal(&encode_content(RANKING.as_bytes(), marks), 8_192).ok().unwrap();
        let media = format!("content-type: {ANSWER_TYPE}");
        whole("200 OK", &["domicile-outcome: relayed", &media], &sealed)
    }
}

fn whole(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\n");
    headers.iter().for_each(|header| head.push_str(&format!("{header}\r\n")));
    if !status.starts_with("204") {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

/// One request: its first line and its body.
fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).ok()? == 0 {
            return None;
        }
        head.extend_from_slice(&byte);
    }
    let head = String::from_utf8(head).ok()?;
    let named = |line: &str| Some(line.to_ascii_lowercase().strip_prefix("content-length: ")?.to_owned());
    let length = head.lines().find_map(named);
    let mut body = vec![0; length.map_or(Some(0), |length| length.parse().ok())?];
    stream.read_exact(&mut body).ok()?;
    Some((head.lines().next()?.to_owned(), body))
}
