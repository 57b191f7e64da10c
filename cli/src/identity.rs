//! `domicile identity`: a reference identity service, for the demo, for tests, and to be read by whoever writes theirs.
//!
//! What a retailer's own service has to do is [`issuer`]: know the shopper, choose the class and the home cell, sign a
//! short-lived token, hand out the class's pin. Around it stands the least that a page needs: a session in a cookie that
//! no script reads, login, logout. It lives on an origin of its own, in the region, never behind the edge.
//!
//! Anybody may log in as anybody here: it has no passwords. So it listens on loopback only, and answers only requests
//! whose `Host` is a name of this machine. It writes no log.

mod issuer;
mod listen;
mod origins;
mod refusal;
mod routes;
mod sessions;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use domicile_files::limit;
use domicile_jwt::TokenKey;
use domicile_topology::KeyUse;

use crate::{key, output, topology};
use issuer::Issuer;
use origins::{Origin, Origins};
use routes::Service;

/// Serve tokens, pins and home cells to shoppers of the demo (loopback only: it has no passwords).
#[derive(clap::Args)]
pub(crate) struct Identity {
    /// Address to listen on, a loopback one; port 0 takes a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7300")]
    listen: SocketAddr,
    /// The topology
    #[arg(long, value_name = "FILE")]
    topology: PathBuf,
    /// The secret pin key; the topology has to list its public half with use "pin"
    #[arg(long, value_name = "FILE")]
    pin_key: PathBuf,
    /// The secret token key (`domicile key token new`); cells have its public half in their key set
    #[arg(long, value_name = "FILE")]
    token_key: PathBuf,
    /// What tokens name as their issuer
    #[arg(long, value_name = "URL", default_value = "https://identity.invalid")]
    issuer: String,
    /// The storefront its shoppers are of
    #[arg(long, default_value = "demo")]
    tenant: String,
    /// How long a token is valid: how long a logout may take to be noticed everywhere. Cells take an hour by default
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u32).range(30..=86_400))]
    token_s: u32,
    /// An origin whose pages may ask with their cookie, such as http://127.0.0.1:8080; repeatable
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<Origin>,
}

/// Serves until it is told to stop.
pub(crate) async fn run(identity: Identity) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        identity.listen.ip().is_loopback(),
        "--listen {}: this service lets anybody be anybody, so it takes a loopback address only; read it and write your \
         own",
        identity.listen
    );
    anyhow::ensure!(
        !identity.issuer.trim().is_empty(),
        "--issuer: empty; name this service, as the cells' `issuers` do"
    );
    anyhow::ensure!(!identity.tenant.trim().is_empty(), "--tenant: empty; name the storefront");
    let topology = topology::load(&identity.topology)?;
    let pin_key = key::signing(&identity.pin_key)?;
    topology::ensure_listed(&topology, &pin_key.verifying_key(), KeyUse::Pin)
        .with_context(|| identity.topology.display().to_string())?;
    let token_key = TokenKey::from_jwk(&output::text(&identity.token_key, limit::KEY)?)
        .with_context(|| format!("key {}", identity.token_key.display()))?;
    topology::ensure_unlisted(&topology, &token_key.to_public_jwk()?)
        .with_context(|| format!("--token-key {}", identity.token_key.display()))?;
    let key_set = TokenKey::key_set([&token_key])?;
    let issuer = Issuer {
        topology,
        pin_key,
        token_key,
        name: identity.issuer,
        tenant: identity.tenant,
        token_s: i64::from(identity.token_s),
    };
    let listener = tokio::net::TcpListener::bind(identity.listen)
        .await
        .with_context(|| format!("--listen {}", identity.listen))?;
    let address = listener.local_addr()?;
    let service = Service::new(issuer, key_set, Origins::new(identity.allow_origin));
    // Before anyone knows that it is there: a signal that came first would end it with its answers half written.
    let told = listen::told_to_stop().context("signals")?;
    output::line(format!("ready http://{address}"));
    listen::serve(listener, Arc::new(service), told).await;
    Ok(ExitCode::SUCCESS)
}
