//! The core modules that an edge is made of, and whose word they are taken on.
//!
//! They are read once. Where a statement lies beside them (`domicile edge release-modules`), they have to be the ones it
//! names, whoever signed it; where a key is given, there has to be one, signed with it. Without either, whoever can
//! write to the folder decides what the edge's code is: the build says so, and goes on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use domicile_envelope::{VerifyingKey, is_published};
use domicile_files::{limit, read_text};
use domicile_forge::Modules;
use domicile_forge::published::{self, Statement, StatementError};
use domicile_topology::Topology;

use crate::key;

/// Versions of tools by name, beside modules that were just built.
const TOOLS: &str = "tools.json";

/// Where the modules are, and who has to vouch for them.
#[derive(clap::Args)]
pub(super) struct ModulesArgs {
    /// The folder with router.wasm, popularity.wasm and relay.wasm, and modules.dsse.json if they were published
    #[arg(long, value_name = "DIR", required_unless_present = "check")]
    pub(super) modules: Option<PathBuf>,
    /// The public key of who publishes the modules: modules.dsse.json has to be signed with it; repeat it for the successor
    #[arg(long, value_name = "FILE", requires = "modules")]
    pub(super) modules_key: Vec<PathBuf>,
}

/// Modules that may be used.
pub(super) struct Read {
    pub(super) modules: Modules,
    /// What is known of how they were made: the versions of tools by name, and the revision of their source.
    pub(super) tools: BTreeMap<String, String>,
    /// SHA-256 of each file by its name, and of the statement.
    pub(super) hashes: BTreeMap<String, String>,
    trust: Trust,
}

/// Whose word they are taken on.
enum Trust {
    /// A key's that was given.
    Signed(VerifyingKey),
    /// A statement's; who signed it was not asked.
    Stated,
    /// Nobody's.
    Unchecked,
}

impl ModulesArgs {
    /// Reads the modules and checks them as far as there is something to check them by; none where no folder is named.
    pub(super) fn read(&self) -> anyhow::Result<Option<Read>> {
        let keys =
            self.modules_key.iter().map(|path| key::verifying(path)).collect::<anyhow::Result<Vec<_>>>()?;
        self.modules.as_deref().map(|folder| read(folder, &keys)).transpose()
    }

    /// Every file that is read, with the flag that names it.
    pub(super) fn files(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        let folder = self.modules.iter().flat_map(|folder| {
            ["popularity.wasm", "relay.wasm", "router.wasm", TOOLS, published::FILE]
                .map(|name| ("--modules", folder.join(name)))
        });
        folder.chain(self.modules_key.iter().map(|path| ("--modules-key", path.clone())))
    }
}

fn read(folder: &Path, keys: &[VerifyingKey]) -> anyhow::Result<Read> {
    let modules = Modules::read(folder)
        .context("no core modules (a release has them, `cargo xtask modules` builds them)")?;
    let path = folder.join(published::FILE);
    let mut hashes = modules.hashes();
    let mut tools = domicile_forge::tools(&modules);
    let trust = match read_text(&path, limit::TEXT) {
        Ok(text) => {
            let (statement, trust) = open(&text, keys).with_context(place(&path))?;
            statement.ensure_describes(&modules).with_context(place(&path))?;
            hashes.insert(published::FILE.to_owned(), domicile_forge::sha256_hex(text.as_bytes()));
            tools.extend(statement.tools);
            tools.insert("source".to_owned(), statement.source);
            trust
        }
        Err(error) if error.is_absent() && keys.is_empty() => {
            tools.extend(beside(folder)?);
            Trust::Unchecked
        }
        Err(error) if error.is_absent() => anyhow::bail!(
            "--modules {}: no {} there, so --modules-key vouches for nothing; take the modules from a release",
            folder.display(),
            published::FILE
        ),
        Err(error) => return Err(error).with_context(place(&path)),
    };
    Ok(Read { modules, tools, hashes, trust })
}

fn open(text: &str, keys: &[VerifyingKey]) -> Result<(Statement, Trust), StatementError> {
    if keys.is_empty() {
        return Ok((Statement::open_unverified(text)?, Trust::Stated));
    }
    let statement = Statement::open(text, keys)?;
    let signed_by = |key: &&VerifyingKey| Statement::open(text, std::slice::from_ref(*key)).is_ok();
    let signer = keys.iter().find(signed_by);
    Ok((statement, signer.map_or(Trust::Stated, |key| Trust::Signed(key.clone()))))
}

fn place(path: &Path) -> impl Fn() -> String {
    move || format!("modules: {}", path.display())
}

/// What whoever built the modules wrote beside them. Modules made by hand come without.
fn beside(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let path = folder.join(TOOLS);
    match read_text(&path, limit::TEXT) {
        Ok(text) => serde_json::from_str(&text)
            .with_context(|| format!("{}: not a list of tools; take the modules anew", path.display())),
        Err(error) if error.is_absent() => Ok(BTreeMap::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

impl Read {
    /// Refuses modules that everybody could have signed for an edge that reaches other machines.
    pub(super) fn ensure_fits(&self, topology: &Topology) -> anyhow::Result<()> {
        match &self.trust {
            Trust::Signed(key) if is_published(key.id()) && !topology.is_on_loopback() => anyhow::bail!(
                "--modules-key: {} is published with the demo, and cells stand beyond loopback; take modules that are \
                 signed with a key of their publisher's own",
                key.id()
            ),
            Trust::Signed(_) | Trust::Stated | Trust::Unchecked => Ok(()),
        }
    }

    /// Whose word they are taken on, in a line.
    pub(super) fn trust(&self) -> String {
        match &self.trust {
            Trust::Signed(key) => format!("published, signed by {}", key.id()),
            Trust::Stated => {
                format!("as {} says, whose signature was not checked (--modules-key does)", published::FILE)
            }
            Trust::Unchecked => {
                format!("not checked: no {} lies beside them (a release has one)", published::FILE)
            }
        }
    }
}
