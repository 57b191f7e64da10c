//! What the shop sells: the demo snapshot's own table of items.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

/// An item, as its own page shows it. Prices are those of the data, in US dollars.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) category: String,
    pub(crate) image: String,
    pub(crate) url: String,
    pub(crate) price: f64,
}

#[derive(Deserialize)]
struct Row {
    id: String,
    title: String,
    category: String,
    price: f64,
    image: String,
}

/// All items, by id.
pub(crate) struct Catalogue(HashMap<String, Item>);

impl Catalogue {
    /// Reads `index,id,title,category,department,price,image`.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is none.
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let named = || format!("cannot read {}", file.display());
        let mut reader = csv::Reader::from_path(file).with_context(named)?;
        let mut items = HashMap::new();
        for row in reader.deserialize() {
            let Row { id, title, category, price, image } = row.with_context(named)?;
            let url = format!("/p/{id}");
            items.insert(id.clone(), Item { id, title, category, image, url, price });
        }
        Ok(Self(items))
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Item> {
        self.0.get(id)
    }
}
