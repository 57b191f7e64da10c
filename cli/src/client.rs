//! What the commands that ask an edge for personal shelves have in common: where, whom they trust, and whose grant.

use std::path::PathBuf;
use std::time::Duration;

use domicile_client::{Client, Grant, Identity, IdentityError, Network, Seen};

use crate::key;

/// No list, grant or manifest after this long is an error: the services' own clocks are far shorter.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The code of an identity service for a locale whose class has no cell.
const LIST_ONLY: &str = "list-only";

/// Which edge, whose shoppers, and which key everything has to lead to.
#[derive(clap::Args)]
pub(crate) struct At {
    /// The edge, e.g. http://127.0.0.1:8080
    #[arg(long, value_name = "URL")]
    pub(crate) edge: String,
    /// The identity service, e.g. http://127.0.0.1:7300
    #[arg(long, value_name = "URL")]
    pub(crate) identity: String,
    /// The root key, public or secret, that has to have signed the route manifest; repeat it for the successor
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) root_key: Vec<PathBuf>,
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
