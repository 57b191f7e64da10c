//! What has to hold before anything is sealed.

use std::sync::Arc;

use domicile_deadline::Deadline;
use domicile_route::{KeyStatement, RouteCell, RouteManifest, Trust};
use domicile_seal::config::{PublicConfig, read_list};

use crate::exchange::{Caches, get, text};
use crate::{Ask, Client, Outside, Reason};

impl<O: Outside> Client<O> {
    /// The verified manifest of a class: signed by the root key or its successor, of that class, of now, and of no
    /// older version than was seen before.
    ///
    /// # Errors
    /// The [`Reason`] why nothing may be sealed.
    pub async fn route(&self, class: &str, deadline: Deadline) -> Result<Arc<RouteManifest>, Reason> {
        let now_s = self.outside.unix_seconds();
        if let Some(manifest) = self.memory().route(class, now_s) {
            return Ok(manifest);
        }
        let url = format!("{}/v1/route/{class}", self.edge);
        let envelope = text(get(&self.outside, url, Caches::May, deadline).await);
        let envelope = envelope.ok_or(Reason::ManifestLost)?;
        let mut memory = self.memory();
        let trust = Trust { roots: &self.roots, seen: memory.seen.version(class), now_s };
        let manifest =
            RouteManifest::open(&envelope, class, trust).map_err(|refusal| Reason::from(&refusal))?;
        Ok(memory.keep_route(manifest, now_s))
    }

    /// A cell's verified keys: signed by the key that the manifest names for it, and of now.
    pub(crate) async fn keys(
        &self,
        cell: &RouteCell,
        caches: Caches,
        deadline: Deadline,
    ) -> Result<Arc<Vec<PublicConfig>>, Reason> {
        let now_s = self.outside.unix_seconds();
        let signers = cell.keys().ok_or(Reason::ManifestInvalid)?;
        let held = match caches {
            Caches::May => self.memory().keys(&cell.name, &signers, now_s),
            Caches::MayNot => None,
        };
        if let Some(keys) = held {
            return Ok(keys);
        }
        let url = format!("{}/v1/keys/{}", self.edge, cell.name);
        let envelope = text(get(&self.outside, url, caches, deadline).await).ok_or(Reason::KeysLost)?;
        let statement = KeyStatement::open(&envelope, &cell.name, &signers, now_s)
            .map_err(|refusal| Reason::from(&refusal))?;
        let list = statement.list().map_err(|refusal| Reason::from(&refusal))?;
        let keys = read_list(&list).map_err(|_refusal| Reason::KeysInvalid)?;
        let not_after_s = statement.not_after_s();
        Ok(self.memory().keep_keys((&cell.name, &signers), keys, not_after_s, now_s))
    }

    /// The manifest, when grant and page are of it. A grant is over when it is by the page's clock and by the cells' as
    /// far as that is known: either may be wrong, and a cell judges the token itself.
    pub(crate) async fn lawful(&self, ask: &Ask<'_>) -> Result<Arc<RouteManifest>, Reason> {
        let (grant, page) = (ask.grant, ask.page);
        let manifest = self.route(&grant.class, ask.deadline).await?;
        let own_s = self.outside.unix_seconds();
        let now_s = own_s.min(own_s.saturating_add(self.memory().offset_s));
        let known = manifest.locales.iter().any(|locale| locale == page.locale());
        if manifest.class != grant.class
            || grant.claimed.as_ref().is_some_and(|class| *class != manifest.class)
        {
            Err(Reason::OtherClass)
        } else if manifest.cells.is_empty() {
            Err(Reason::NoCell)
        } else if manifest.cell(&grant.home).is_none() {
            Err(Reason::HomeNotInClass)
        } else if now_s >= grant.not_after_s {
            Err(Reason::GrantExpired)
        } else if !known || manifest.slot(page.slot()).is_none() {
            Err(Reason::PageNotInManifest)
        } else {
            Ok(manifest)
        }
    }
}
