use super::{NotAnOrigin, Origin, Transport, is_loopback};

fn origin(text: &str) -> Origin {
    text.parse().unwrap()
}

#[test]
fn takes_a_host_with_a_port_and_nothing_else() {
    for good in ["http://cell.example:8443", "https://127.0.0.1:9001", "http://[::1]:9001"] {
        assert_eq!(origin(good).to_string(), good);
    }
    assert_eq!(origin("cell.example:80"), origin("http://cell.example:80"));
    for bad in [
        "",
        "cell.example",
        "cell.example:",
        ":80",
        "user@cell.example:80",
        "cell.example:80/path",
        "a b:1",
        "ftp://cell.example:80",
        "https://cell.example",
        "https://https://cell.example:1",
    ] {
        assert_eq!(bad.parse::<Origin>(), Err(NotAnOrigin), "{bad}");
    }
}

#[test]
fn knows_this_machine_in_its_disguises() {
    for text in [
        "127.0.0.1:1",
        "127.9.9.9:1",
        "[::1]:1",
        "0.0.0.0:1",
        "[::]:1",
        "[::ffff:127.0.0.1]:1",
        "[::ffff:0.0.0.0]:1",
        "localhost:1",
        "LocalHost.:1",
        "a.localhost:1",
    ] {
        assert!(origin(text).authority.names_this_machine(), "{text}");
    }
    for text in ["cell.example:1", "10.0.0.1:1", "[2001:db8::1]:1", "localhost.example:1", "notlocalhost:1"] {
        assert!(!origin(text).authority.names_this_machine(), "{text}");
    }
}

#[test]
fn a_listener_on_no_address_is_open() {
    for (text, expected) in [
        ("127.0.0.1:1", true),
        ("[::1]:1", true),
        ("[::ffff:127.0.0.1]:1", true),
        ("0.0.0.0:1", false),
        ("[::]:1", false),
        ("[::ffff:0.0.0.0]:1", false),
        ("10.0.0.1:1", false),
    ] {
        assert_eq!(is_loopback(text.parse().unwrap()), expected, "{text}");
    }
}

#[test]
fn is_compared_without_case_and_with_scheme_and_port() {
    let asked = |text: &'static str| Origin::of(&http::Uri::from_static(text));
    assert_eq!(asked("http://Cell.example/x"), Some(origin("cell.EXAMPLE:80")));
    assert_eq!(asked("https://cell.example/x"), Some(origin("https://cell.example:443")));
    assert_eq!(asked("https://cell.example/").map(|origin| origin.transport), Some(Transport::Tls));
    assert_ne!(asked("http://cell.example:81/"), Some(origin("cell.example:80")));
    assert_eq!(asked("http://user@cell.example/"), None);
    assert_eq!(asked("/x"), None);
}
