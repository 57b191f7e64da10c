//! The name of a cell on the network.

use std::fmt;
use std::str::FromStr;

/// A host and a port, in lower case, and nothing else: no user, no path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Authority {
    host: String,
    port: u16,
}

/// A text is not `host:port`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not host:port; a port is required, a user or a path is not allowed")]
pub struct NotAnAuthority;

impl Authority {
    /// Whether it names this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// A guest's authority, port 80 where it states none; `None` when it carries a user.
    pub(crate) fn of(authority: &http::uri::Authority) -> Option<Self> {
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return None;
        }
        Some(Self { host: authority.host().to_ascii_lowercase(), port: authority.port_u16().unwrap_or(80) })
    }
}

impl FromStr for Authority {
    type Err = NotAnAuthority;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed: http::uri::Authority = text.parse().map_err(|_error| NotAnAuthority)?;
        parsed.port_u16().ok_or(NotAnAuthority)?;
        Self::of(&parsed).ok_or(NotAnAuthority)
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::{Authority, NotAnAuthority};

    #[test]
    fn takes_a_host_with_a_port_and_nothing_else() {
        for good in ["cell.example:8443", "127.0.0.1:9001", "[::1]:9001"] {
            assert_eq!(good.parse::<Authority>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "cell.example",
            "cell.example:",
            ":80",
            "user@cell.example:80",
            "cell.example:80/path",
            "a b:1",
        ] {
            assert_eq!(bad.parse::<Authority>(), Err(NotAnAuthority), "{bad}");
        }
    }

    #[test]
    fn knows_this_machine() {
        for (text, expected) in
            [("127.0.0.1:1", true), ("[::1]:1", true), ("localhost:1", true), ("cell.example:1", false)]
        {
            assert_eq!(text.parse::<Authority>().unwrap().is_loopback(), expected, "{text}");
        }
    }

    #[test]
    fn is_compared_without_case_and_with_its_port() {
        let listed: Authority = "Cell.Example:80".parse().unwrap();
        let asked = |text: &'static str| Authority::of(&http::uri::Authority::from_static(text));
        assert_eq!(asked("cell.example").as_ref(), Some(&listed));
        assert_ne!(asked("cell.example:81").as_ref(), Some(&listed));
        assert_eq!(asked("user@cell.example:80"), None);
    }
}
