//! What the page has to know of the demo: where things are, who can be chosen, what cells there are.

use std::collections::BTreeMap;

use domicile_topology::{KeyUse, Topology};
use serde::Serialize;

use crate::shoppers::Shopper;

/// Handed to the page as JSON, by the shop's own origin: so the root keys do not come from the edge.
#[derive(Serialize)]
pub(crate) struct Setup {
    /// The recorder before the edge, which is the edge to the page.
    edge: String,
    identity: String,
    /// Public root keys (JWK).
    roots: Vec<String>,
    locales: Vec<Locale>,
    cells: Vec<Cell>,
    shoppers: BTreeMap<String, Vec<Shopper>>,
    /// Whether somebody stops and starts cells.
    controls: bool,
}

#[derive(Serialize)]
struct Locale {
    locale: String,
    class: String,
    /// The class's cells by name; none where only the list is lawful.
    cells: Vec<String>,
}

#[derive(Serialize)]
struct Cell {
    name: String,
    boundary: String,
    operator: String,
    site: String,
    jurisdiction: String,
}

impl Setup {
    pub(crate) fn new(
        topology: &Topology,
        shoppers: BTreeMap<String, Vec<Shopper>>,
        (edge, identity): (&str, &str),
        controls: bool,
    ) -> Self {
        let name = |id| topology.cell(id).map(|cell| cell.name.clone());
        let locale = |locale: &domicile_topology::Locale| {
            let class = topology.class(locale.class)?;
            let cells = class.cells.iter().filter_map(|member| name(member.cell)).collect();
            Some(Locale { locale: locale.name.clone(), class: class.name.clone(), cells })
        };
        let cell = |cell: &domicile_topology::Cell| Cell {
            name: cell.name.clone(),
            boundary: cell.boundary.clone(),
            operator: cell.operator.clone(),
            site: cell.site.clone(),
            jurisdiction: cell.jurisdiction.clone(),
        };
        let roots = topology.keys.iter().filter(|key| key.purpose == KeyUse::Root);
        Self {
            edge: edge.to_owned(),
            identity: identity.to_owned(),
            roots: roots.map(|key| key.key.to_jwk()).collect(),
            locales: topology.locales.iter().filter_map(locale).collect(),
            cells: topology.cells.iter().map(cell).collect(),
            shoppers,
            controls,
        }
    }
}
