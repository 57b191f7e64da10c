//! What the commands that ask an edge for personal shelves have in common: where, whom they trust, and whose grant.

use std::path::PathBuf;
use std::time::Duration;

use domicile_client::{Client, Grant, Identity, IdentityError, Network, Seen};
use http::Uri;
use http::uri::Scheme;

use crate::edge::overlap::Named;
use crate::key;

/// No list, grant or manifest after this long is an error: the services' own clocks are far shorter.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The code of an identity service for a locale whose class has no cell.
const LIST_ONLY: &str = "list-only";

/// Which edge, whose shoppers, and which key everything has to lead to.
#[derive(clap::Args)]
pub(crate) struct At {
    /// The edge, e.g. http://127.0.0.1:8080
    #[arg(long, value_name = "URL", value_parser = plain_http)]
    pub(crate) edge: String,
    /// The identity service, e.g. http://127.0.0.1:7300
    #[arg(long, value_name = "URL", value_parser = plain_http)]
    pub(crate) identity: String,
    /// The root key, public or secret, that has to have signed the route manifest; repeat it for the successor
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) root_key: Vec<PathBuf>,
}

/// Why a URL cannot be asked.
#[derive(Debug, thiserror::Error)]
enum NotPlainHttp {
    /// `https`, `ftp`, or none.
    #[error(
        "the scheme has to be http, as in http://127.0.0.1:8080: this command speaks no TLS, which a proxy beside it \
         does (docs/client.md)"
    )]
    Scheme,
    /// No host, or something behind the path.
    #[error("no URL of a service; give scheme, host and port alone, as in http://127.0.0.1:8080")]
    Form,
}

/// Takes a URL that the network can reach. With another it would say that nobody answers, which is no reason.
fn plain_http(text: &str) -> Result<String, NotPlainHttp> {
    let (scheme, rest) = text.split_once("://").ok_or(NotPlainHttp::Scheme)?;
    if !scheme.eq_ignore_ascii_case(Scheme::HTTP.as_str()) {
        return Err(NotPlainHttp::Scheme);
    }
    let uri: Uri = text.parse().map_err(|_error| NotPlainHttp::Form)?;
    let has_host = uri.host().is_some_and(|host| !host.is_empty());
    if has_host && uri.query().is_none() && !rest.contains('#') {
        Ok(text.to_owned())
    } else {
        Err(NotPlainHttp::Form)
    }
}

/// What the identity service gives for a locale.
pub(crate) enum Granted {
    /// A grant.
    Grant(Grant),
    /// The locale's class has no cell.
    ListOnly,
}

impl At {
    /// A client of that edge.
    pub(crate) fn client(&self, network: &Network) -> anyhow::Result<Client<Network>> {
        let roots = self.root_key.iter().map(|path| key::verifying(path)).collect::<anyhow::Result<_>>()?;
        Ok(Client::new(&self.edge, roots, Seen::default(), network.clone()))
    }

    /// Every file that is read.
    pub(crate) fn files(&self) -> Vec<Named> {
        self.root_key.iter().map(|path| ("--root-key", path.clone())).collect()
    }

    /// A grant for a shopper, or for nobody in particular, in a session that is over again when this returns.
    pub(crate) async fn grant(
        &self,
        client: &Client<Network>,
        network: &Network,
        shopper: Option<&str>,
        locale: &str,
    ) -> Result<Granted, IdentityError> {
        let deadline = client.deadline(PATIENCE);
        let mut identity = Identity::new(&self.identity, network);
        if let Some(shopper) = shopper {
            identity.login(shopper, deadline).await?;
        }
        let granted = match identity.grant(locale, deadline).await {
            Ok(grant) => Ok(Granted::Grant(grant)),
            Err(IdentityError::Refused { code, .. }) if code == LIST_ONLY => Ok(Granted::ListOnly),
            Err(refusal) => Err(refusal),
        };
        // The grant is good without its session; one that stays open would only fill the service.
        let _ = identity.logout(deadline).await;
        granted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_taken_and_the_rest_is_told_what_it_lacks() {
        for url in ["http://127.0.0.1:8080", "HTTP://localhost/", "http://[::1]:80/behind/a/path"] {
            assert_eq!(plain_http(url).unwrap(), url);
        }
        for url in ["https://shop.example", "ftp://127.0.0.1", "127.0.0.1:8080", "shop.example", ""] {
            let said = plain_http(url).unwrap_err().to_string();
            assert!(said.contains("has to be http") && said.contains("a proxy"), "{url}: {said}");
        }
        for url in ["http://", "http:///path", "http://a b", "http://127.0.0.1:8080?x", "http://localhost/#x"]
        {
            assert!(matches!(plain_http(url), Err(NotPlainHttp::Form)), "{url}");
        }
    }
}
