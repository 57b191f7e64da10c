//! What the server is started with.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// The demo's shop, on loopback
#[derive(Parser)]
#[command(name = "domicile-shop", version, about)]
pub(crate) struct Options {
    /// Port of 127.0.0.1 for the pages; 0 takes a free one
    #[arg(long, default_value_t = 8_090)]
    pub(crate) port: u16,
    /// Port of 127.0.0.1 for the recorder before the edge; 0 takes a free one
    #[arg(long, default_value_t = 8_091)]
    pub(crate) edge_port: u16,
    /// The edge, as http://ADDRESS
    #[arg(long)]
    pub(crate) edge: String,
    /// The identity service, as a page reaches it: http://ADDRESS
    #[arg(long)]
    pub(crate) identity: String,
    /// The built pages
    #[arg(long)]
    pub(crate) pages: PathBuf,
    /// The demo snapshot's items.csv
    #[arg(long)]
    pub(crate) items: PathBuf,
    /// shopper,locale
    #[arg(long)]
    pub(crate) assignments: PathBuf,
    /// The topology that edge and cells run
    #[arg(long)]
    pub(crate) topology: PathBuf,
    /// Who stops, slows and starts cells
    #[arg(long, value_enum, default_value_t = Owner::None)]
    pub(crate) owner: Owner,
}

/// Who stops, slows and starts cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Owner {
    /// Nobody: the page has no buttons.
    None,
    /// Whoever reads standard output and writes standard input, a line each; its end is the shop's.
    Stdio,
}
