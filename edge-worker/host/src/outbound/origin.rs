//! Where a cell is: a scheme, a host and a port.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use http::Uri;
use http::uri::Scheme;

/// A host and a port, in lower case, and nothing else: no user, no path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Authority {
    host: String,
    port: u16,
}

/// How a cell is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transport {
    /// Plain HTTP/1.1.
    Plain,
    /// HTTP/1.1 over TLS.
    Tls,
}

/// A cell's transport and authority.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// How.
    pub transport: Transport,
    /// Where.
    pub authority: Authority,
}

/// A text is not `host:port`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not host:port; a port is required, a user or a path is not allowed, a scheme is http:// or https://"
)]
pub struct NotAnOrigin;

impl Authority {
    /// Without the brackets of an IPv6 address.
    pub(crate) fn host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Whether it names this machine, as far as that can be told without asking anybody.
    pub(crate) fn names_this_machine(&self) -> bool {
        let name = self.host().trim_end_matches('.');
        name == "localhost"
            || name.ends_with(".localhost")
            || self.host().parse::<IpAddr>().is_ok_and(is_this_machine)
    }

    fn of(authority: &http::uri::Authority, default_port: Option<u16>) -> Option<Self> {
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return None;
        }
        let port = authority.port_u16().or(default_port)?;
        Some(Self { host: authority.host().to_ascii_lowercase(), port })
    }
}

/// Whether what is sent to an address arrives on this machine: loopback, in IPv6's clothes too, and "no address",
/// which connects to this machine as well.
pub(crate) fn is_this_machine(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || address.is_unspecified()
}

/// Whether a listener there is reached from this machine only.
pub(crate) fn is_loopback(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

impl Origin {
    /// Where a guest's request is to go; the scheme's port where it states none; `None` when it carries a user.
    pub(crate) fn of(uri: &Uri) -> Option<Self> {
        let (transport, port) = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTP => (Transport::Plain, 80),
            Some(scheme) if *scheme == Scheme::HTTPS => (Transport::Tls, 443),
            _ => return None,
        };
        Some(Self { transport, authority: Authority::of(uri.authority()?, Some(port))? })
    }
}

impl FromStr for Origin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (transport, authority) = match text.split_once("://") {
            None => (Transport::Plain, text),
            Some(("http", authority)) => (Transport::Plain, authority),
            Some(("https", authority)) => (Transport::Tls, authority),
            Some(_) => return Err(NotAnOrigin),
        };
        let parsed: http::uri::Authority = authority.parse().map_err(|_error| NotAnOrigin)?;
        Ok(Self { transport, authority: Authority::of(&parsed, None).ok_or(NotAnOrigin)? })
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.transport {
            Transport::Plain => "http",
            Transport::Tls => "https",
        };
        write!(formatter, "{scheme}://{}", self.authority)
    }
}

#[cfg(test)]
mod tests;
