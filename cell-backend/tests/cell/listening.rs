//! A crowd at the gateway costs the crowd, and the admin listener answers meanwhile.

use std::net::TcpStream;
use std::process::{Command, Stdio};

use crate::process::{Process, exchange, free_port, say, serve};
use crate::world::World;

/// Files that the cell of the test may have open: more than it has by itself, fewer than it is asked for.
const FILES: usize = 64;

#[test]
fn a_full_gateway_leaves_the_admin_listener_alone() {
    let world = World::new();
    world.write("config.toml", "version = 1\n[listener]\nconnections = 2\nunused_ms = 3600000");
    let (config, admin) = (world.at("config.toml"), free_port());
    let more = ["--config", config.to_str().unwrap(), "--admin", &admin.to_string()];
    let cell = Process::start_quiet(serve(&world, "eu-a", &more));
    let held = [(), ()].map(|()| TcpStream::connect(cell.address).unwrap());
    let lost = "domicile_cell_connections_lost_total{listener=\"sealed\",cause=\"full\"} ";
    // What is accepted is counted a moment after it is there for the caller.
    while !metrics(admin).contains("domicile_cell_connections 2\n") {
        std::thread::yield_now();
    }
    for _ in 0..3 {
        let mut one_too_many = TcpStream::connect(cell.address).unwrap();
        assert!(matches!(std::io::Read::read(&mut one_too_many, &mut [0]), Ok(0) | Err(_)), "closed");
    }
    assert!(metrics(admin).contains(&format!("{lost}3\n")));
    drop(held);
    while !metrics(admin).contains("domicile_cell_connections 0\n") {
        std::thread::yield_now();
    }
    assert_eq!(exchange(cell.address, "GET", "/gateway", b"").status, 405);
    let log = cell.stop_and_read();
    assert_eq!(log.matches("a connection too many was closed").count(), 1, "{log}");
}

#[test]
fn a_process_without_file_descriptors_says_so_once_and_recovers() {
    let world = World::new();
    let direct = serve(&world, "eu-a", &[]);
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("ulimit -n {FILES} && exec \"$0\" \"$@\"")]);
    limited.arg(direct.get_program()).args(direct.get_args()).stdout(Stdio::piped());
    let mut cell = Process::start_quiet(limited);
    let crowd: Vec<TcpStream> =
        (0..2 * FILES).filter_map(|_| TcpStream::connect(cell.address).ok()).collect();
    assert!(crowd.len() > FILES);
    // A crowd that leaves before all of it was accepted leaves descriptors behind: it stays until there are none.
    let said = cell.log_up_to("accept failed");
    drop(crowd);
    assert_eq!(exchange(cell.address, "GET", "/gateway", b"").status, 405);
    let log = said + &cell.stop_and_read();
    assert_eq!(log.matches("accept failed").count(), 1, "{log}");
    assert!(log.contains("os=24"), "{log}");
}

#[test]
fn a_head_without_one_host_is_refused_and_a_caller_that_only_listens_is_answered() {
    let (world, admin) = (World::new(), free_port());
    let cell = Process::start(serve(&world, "eu-a", &["--admin", &admin.to_string()]));
    for hosts in ["", "host: a\r\nhost: a\r\n", "host: a\r\nhost: b\r\n", "host:\r\n", "host: a@b\r\n"] {
        for address in [cell.address, admin] {
            let reply = say(address, &format!("GET /gateway HTTP/1.1\r\n{hosts}\r\n"));
            assert_eq!(reply.status, 400, "{hosts:?}");
            assert!(String::from_utf8(reply.body).unwrap().contains("\"code\":\"host\""));
        }
    }
    assert_eq!(say(cell.address, "GET /gateway HTTP/1.1\r\nhost: a\r\n\r\n").status, 405);
    assert!(metrics(admin).contains("domicile_cell_turned_away_total{cause=\"host\"} 5\n"));
    assert_eq!(cell.stop(), Some(0));
}

fn metrics(admin: std::net::SocketAddr) -> String {
    String::from_utf8(exchange(admin, "GET", "/metrics", b"").body).unwrap()
}
