//! The demo's shop: pages on one port of loopback, and on another what records the page's way to the edge.
//!
//! It is a shop's front and nothing more: it knows neither who looks at it nor what they are shown. What a page shows
//! is between the page, the edge and a cell. The recorder and the buttons are for whoever wants to see that happen,
//! and are no part of the product.

mod capture;
mod catalogue;
mod clock;
mod controls;
mod guard;
mod options;
mod pages;
mod pass;
mod picture;
mod refusal;
mod routes;
mod setup;
mod shoppers;

use std::io::{BufRead as _, Write as _};
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Parser as _;
use domicile_topology::Topology;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::capture::Capture;
use crate::catalogue::Catalogue;
use crate::controls::Controls;
use crate::options::{Options, Owner};
use crate::pages::Pages;
use crate::routes::Shop;
use crate::setup::Setup;

#[tokio::main]
async fn main() -> ExitCode {
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "domicile-shop: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(&options.topology)
        .with_context(|| format!("cannot read {}", options.topology.display()))?;
    let topology = Topology::parse(&text)?;
    let pages = listen(options.port).await?;
    let recorder = listen(options.edge_port).await?;
    let (origin, edge) = (address(&pages)?, address(&recorder)?);
    let owned = options.owner == Owner::Stdio;
    let owner: Option<Box<dyn std::io::Write + Send>> =
        owned.then(|| Box::new(std::io::stdout()) as Box<dyn std::io::Write + Send>);
    let names = topology.cells.iter().map(|cell| cell.name.clone());
    let controls = Arc::new(Controls::new(names, owner));
    let capture = Arc::new(Capture::default());
    let shoppers = shoppers::read(&options.assignments, &topology)?;
    let setup = Setup::new(&topology, shoppers, (&edge, &options.identity), owned);
    let shop = Arc::new(Shop {
        pages: Pages::read(&options.pages)?,
        catalogue: Catalogue::read(&options.items)?,
        capture: Arc::clone(&capture),
        controls: Arc::clone(&controls),
        setup: serde_json::to_value(setup)?,
        headers: pages::headers(&[&edge, &options.identity])?,
    });
    let told = told_to_stop()?;
    let gone = if owned { Some(listen_to_owner(controls)) } else { None };
    writeln!(std::io::stdout(), "ready {origin}").context("nobody reads")?;
    tokio::select! {
        ended = async { axum::serve(pages, routes::router(shop)).await } => ended.context("the pages' port"),
        ended = async { axum::serve(recorder, pass::router(options.edge, capture)).await } => {
            ended.context("the recorder's port")
        }
        () = told => Ok(()),
        () = over(gone) => Ok(()),
    }
}

async fn listen(port: u16) -> anyhow::Result<TcpListener> {
    let at = (Ipv4Addr::LOCALHOST, port);
    TcpListener::bind(at).await.with_context(|| format!("cannot listen on 127.0.0.1:{port}"))
}

fn address(listener: &TcpListener) -> anyhow::Result<String> {
    Ok(format!("http://{}", listener.local_addr()?))
}

/// Hears what the owner says. Over when the owner is gone.
fn listen_to_owner(controls: Arc<Controls>) -> oneshot::Receiver<()> {
    let (gone, over) = oneshot::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            controls.heard(&line);
        }
        drop(gone);
    });
    over
}

async fn over(gone: Option<oneshot::Receiver<()>>) {
    match gone {
        Some(gone) => drop(gone.await),
        None => std::future::pending().await,
    }
}

/// Over at SIGINT or SIGTERM.
fn told_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
