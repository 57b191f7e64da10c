//! The cell as a process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::world::World;

/// A running cell; it is killed when dropped.
pub(crate) struct Process {
    child: Child,
    log: Option<BufReader<ChildStderr>>,
    pub(crate) address: SocketAddr,
}

/// An HTTP answer.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// What a command that ended left.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The command `domicile-cell serve` for a world's cell, on free ports, with `more` arguments.
pub(crate) fn serve(world: &World, cell: &str, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_domicile-cell"));
    command.arg("serve").arg("--topology").arg(world.at("topology.toml")).args(["--cell", cell]);
    command.arg("--snapshot").arg(world.at("snapshot")).arg("--overlay").arg(world.at("overlay.dsse.json"));
    command.arg("--store").arg(world.at("store"));
    if !more.contains(&"--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    command.args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command to its end.
pub(crate) fn run(mut command: Command) -> Ended {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

impl Process {
    /// Starts a cell and waits until it says that it is ready.
    pub(crate) fn start(mut command: Command) -> Self {
        Self::spawn(command.stderr(Stdio::inherit()))
    }

    /// The same, with its log kept for [`Process::stop_and_read`].
    pub(crate) fn start_quiet(mut command: Command) -> Self {
        Self::spawn(command.stderr(Stdio::piped()))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("ready http://").and_then(|address| address.parse().ok());
        let address =
            address.unwrap_or_else(|| panic!("the cell did not start, it said {line:?} (see above)"));
        let log = child.stderr.take().map(BufReader::new);
        Self { child, log, address }
    }

    /// Asks it to stop, and waits.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }

    /// Waits for a line of its log with these words. Everything up to it, and that line.
    pub(crate) fn log_up_to(&mut self, words: &str) -> String {
        let log = self.log.as_mut().expect("started quiet");
        let mut said = String::new();
        while !said.contains(words) {
            assert!(log.read_line(&mut said).unwrap() > 0, "it ended without {words:?}: {said}");
        }
        said
    }

    /// Asks it to stop, waits, and returns what is left of its log.
    pub(crate) fn stop_and_read(mut self) -> String {
        let mut log = String::new();
        let mut err = self.log.take().expect("started quiet");
        assert_eq!(self.stop(), Some(0));
        err.read_to_string(&mut log).unwrap();
        log
    }

    pub(crate) fn post(&self, path: &str, body: &[u8]) -> Reply {
        exchange(self.address, "POST", path, body)
    }

    /// A POST to the gateway with a content type.
    pub(crate) fn post_as(&self, media: &str, body: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head = head("POST", domicile_wire::GATEWAY_PATH, body.len());
        let head = head.replacen("\r\n", &format!("\r\ncontent-type: {media}\r\n"), 1);
        stream.write_all(head.as_bytes()).unwrap();
        let _ = stream.write_all(body);
        reply(stream)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One HTTP exchange on a connection of its own.
pub(crate) fn exchange(address: SocketAddr, method: &str, path: &str, body: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head(method, path, body.len()).as_bytes()).unwrap();
    // A body that is refused before its end closes the connection under the writer.
    let _ = stream.write_all(body);
    reply(stream)
}

/// Sends bytes as they are, says that no more will come, and reads the answer.
pub(crate) fn say(address: SocketAddr, text: &str) -> Reply {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    reply(stream)
}

/// Announces a body of `length` bytes, sends none of it, and reads the answer.
pub(crate) fn announce(address: SocketAddr, length: usize) -> Reply {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(head("POST", domicile_wire::GATEWAY_PATH, length).as_bytes()).unwrap();
    reply(stream)
}

fn head(method: &str, path: &str, length: usize) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: cell\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n")
}

fn reply(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("an answer with a head");
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap().to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Reply { status, head, body: bytes[end + 4..].to_vec() }
}

/// An address that was free a moment ago.
pub(crate) fn free_port() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}
