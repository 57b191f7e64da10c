//! A cell with a direct listener, as a process, and a backend that asks it.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::Arc;

use base64::Engine as _;
use domicile_cell::clock::Clock;
use domicile_envelope::SigningKey;
use domicile_jwt::TokenKey;
use domicile_token::{Audience, Claims, Subject};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
};

use crate::process::{Process, free_port, serve};
use crate::world::World;

/// An authority that signs what it is asked to.
pub(crate) struct Signer {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate and its key, PEM.
pub(crate) struct Identity {
    certificate: String,
    key: String,
}

impl Signer {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    pub(crate) fn identity(&self, name: &str) -> Identity {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Identity { certificate, key: key.serialize_pem() }
    }
}

/// Everything that the cell needs, before it starts.
pub(crate) struct Prepared {
    pub(crate) world: World,
    ours: Signer,
    signer: SigningKey,
    identity: TokenKey,
    address: SocketAddr,
}

impl Prepared {
    pub(crate) fn new() -> Self {
        let (world, ours) = (World::new(), Signer::new());
        let (signer, identity) = (SigningKey::generate(), TokenKey::ed25519("this-year").unwrap());
        world.patient();
        let of_the_cell = ours.identity("cell.invalid");
        world.write("cell.pem", &of_the_cell.certificate);
        world.write("cell.key", &of_the_cell.key);
        world.write("ca.pem", &ours.pem);
        world.write("cell.jwk", &signer.to_jwk());
        world.write("tokens.json", &TokenKey::key_set([&identity]).unwrap());
        let prepared = Self { world, ours, signer, identity, address: free_port() };
        prepared.configure(&prepared.address.to_string(), "");
        prepared
    }

    /// Writes the configuration; `0.0.0.0` comes with a topology of demo keys.
    pub(crate) fn configure(&self, listen: &str, more: &str) {
        if listen.starts_with("0.0.0.0") {
            self.world.write("topology.toml", &self.world.topology("trust = \"demo\""));
            let clocks = "serial = 1\nclocks = { cell_budget_ms = 340 }\n";
            let text = std::fs::read_to_string(self.world.at("topology.toml")).unwrap();
            self.world.write("topology.toml", &text.replacen("serial = 1\n", clocks, 1));
        }
        let at = |name: &str| format!("{:?}", self.world.at(name));
        let budgets = std::fs::read_to_string(self.world.at("patient.toml")).unwrap();
        let text = format!(
            "{budgets}\n[seal]\nkey_dir = {}\nsigning_key = {}\n[tokens]\nkeys = {}\n[direct]\nlisten = {listen:?}\n\
             certificate = {}\nkey = {}\nclient_ca = {}\n{more}\n",
            at("keys"),
            at("cell.jwk"),
            at("tokens.json"),
            at("cell.pem"),
            at("cell.key"),
            at("ca.pem")
        );
        self.world.write("config.toml", &text);
    }

    pub(crate) fn command(&self) -> Command {
        serve(&self.world, "eu-a", &["--config", self.world.at("config.toml").to_str().unwrap()])
    }
}

/// A running cell.
pub(crate) struct Desk {
    pub(crate) world: World,
    pub(crate) ours: Signer,
    pub(crate) signer: SigningKey,
    identity: TokenKey,
    pub(crate) cell: Process,
    pub(crate) direct: SocketAddr,
}

/// What it answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Desk {
    pub(crate) fn start() -> Self {
        let prepared = Prepared::new();
        let cell = Process::start_quiet(prepared.command());
        let Prepared { world, ours, signer, identity, address } = prepared;
        Self { world, ours, signer, identity, cell, direct: address }
    }

    /// Pin, token with changed claims, content type.
    pub(crate) fn headers(&self, change: impl FnOnce(&mut Claims)) -> Vec<String> {
        let now_s = Clock::start().unix_seconds();
        let mut claims = Claims {
            iss: "https://shop.example".into(),
            sub: Subject::new("canary-shopper").unwrap(),
            aud: Audience::One("eu".into()),
            exp: now_s + 600,
            iat: now_s,
            nbf: None,
            class: "eu_only".into(),
            tenant: "shop".into(),
            home: "eu-a".into(),
            anonymous: false,
        };
        change(&mut claims);
        vec![
            format!("domicile-pin: {}", self.world.pin(1)),
            format!("authorization: Bearer {}", self.identity.sign(&claims).unwrap()),
            "content-type: application/json".into(),
        ]
    }

    /// Asks with a certificate.
    pub(crate) fn ask(
        &self,
        identity: &Identity,
        versions: &[&'static SupportedProtocolVersion],
        method: &str,
        path: &str,
        head: &[String],
        body: &str,
    ) -> std::io::Result<Answer> {
        let chain = vec![CertificateDer::from_pem_slice(identity.certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).unwrap();
        let config = self.trusting(versions).with_client_auth_cert(chain, key).unwrap();
        self.exchange(config, method, path, head, body)
    }

    /// Asks without one.
    pub(crate) fn ask_without(
        &self,
        versions: &[&'static SupportedProtocolVersion],
        method: &str,
        path: &str,
        head: &[String],
        body: &str,
    ) -> std::io::Result<Answer> {
        self.exchange(self.trusting(versions).with_no_client_auth(), method, path, head, body)
    }

    fn trusting(
        &self,
        versions: &[&'static SupportedProtocolVersion],
    ) -> tokio_rustls::rustls::ConfigBuilder<ClientConfig, tokio_rustls::rustls::client::WantsClientCert>
    {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.ours.pem.as_bytes()).unwrap()).unwrap();
        ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_protocol_versions(versions)
            .unwrap()
            .with_root_certificates(roots)
    }

    fn exchange(
        &self,
        config: ClientConfig,
        method: &str,
        path: &str,
        head: &[String],
        body: &str,
    ) -> std::io::Result<Answer> {
        let name = ServerName::try_from("cell.invalid").unwrap();
        let tls = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = StreamOwned::new(tls, TcpStream::connect(self.direct)?);
        let mut head: String = head.iter().map(|line| format!("{line}\r\n")).collect();
        if method != "GET" {
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: cell.invalid\r\nconnection: close\r\n{head}\r\n{body}"
        )?;
        let mut bytes = Vec::new();
        // Half an answer is none; the end of the connection comes with or without a goodbye.
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.ok_or(std::io::ErrorKind::UnexpectedEof)?;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Ok(Answer { status, head, body: bytes[end + 4..].to_vec() })
    }

    /// Stops the cell and returns its log.
    pub(crate) fn stop(self) -> String {
        self.cell.stop_and_read()
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// The receipt's envelope.
    pub(crate) fn receipt(&self) -> String {
        let text = self.header("domicile-receipt").expect("a receipt");
        String::from_utf8(base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
    }
}
