//! The item table: `items.csv`, header `index,id,title,category,department,price,image`, indices 1 to N in order.

use std::collections::HashMap;

use serde::Deserialize;

/// Fewest bytes of a row: six commas and a line break.
const ROW_MIN: usize = 7;

/// An item's 1-based index in its snapshot; 0 is the models' padding and no item's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemIndex(u32);

impl ItemIndex {
    /// The index with this number, unless it is 0.
    pub const fn new(number: u32) -> Option<Self> {
        if number == 0 { None } else { Some(Self(number)) }
    }

    /// The number, 1 to N.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The place in an array of N.
    pub const fn place(self) -> usize {
        self.0 as usize - 1
    }
}

/// One item.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its category, a slug.
    pub category: String,
    /// Its price; 0 when unknown. For the models, never shown.
    pub price: f32,
    /// Path of its image.
    pub image: String,
}

/// The items of a snapshot.
pub struct ItemTable {
    items: Vec<Item>,
    by_id: HashMap<String, ItemIndex>,
}

#[derive(Deserialize)]
struct Row {
    index: u32,
    id: String,
    title: String,
    category: String,
    price: f32,
    image: String,
}

impl ItemTable {
    /// Reads a table of exactly `count` items.
    ///
    /// # Errors
    /// What was expected and what was found, with the line.
    pub fn parse(bytes: &[u8], count: usize) -> Result<Self, (String, String)> {
        let mut reader = csv::Reader::from_reader(bytes);
        // The count is only a claim as yet: no more room than the bytes could fill.
        let room = count.min(bytes.len() / ROW_MIN);
        let mut items = Vec::with_capacity(room);
        let mut by_id = HashMap::with_capacity(room);
        for (place, row) in reader.deserialize().enumerate() {
            let row: Row = row.map_err(|e| ("rows of the item table".to_owned(), e.to_string()))?;
            let line = place + 2;
            let index =
                u32::try_from(place + 1).ok().and_then(ItemIndex::new).filter(|i| i.number() == row.index);
            let Some(index) = index else {
                return Err((format!("index {} on line {line}", place + 1), row.index.to_string()));
            };
            if !(row.price.is_finite() && row.price >= 0.0) {
                return Err((format!("a price of 0 or more on line {line}"), row.price.to_string()));
            }
            if by_id.insert(row.id.clone(), index).is_some() {
                return Err((format!("a new id on line {line}"), format!("{:?} again", row.id)));
            }
            items.push(Item {
                id: row.id,
                title: row.title,
                category: row.category,
                price: row.price,
                image: row.image,
            });
        }
        if items.len() == count {
            Ok(Self { items, by_id })
        } else {
            Err((format!("{count} items"), items.len().to_string()))
        }
    }

    /// Number of items, N.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item with this index.
    pub fn get(&self, index: ItemIndex) -> Option<&Item> {
        self.items.get(index.place())
    }

    /// The index of the item with this id.
    pub fn index_of(&self, id: &str) -> Option<ItemIndex> {
        self.by_id.get(id).copied()
    }

    /// The item's price; 0 when unknown.
    pub fn price(&self, index: ItemIndex) -> f32 {
        self.get(index).map_or(0.0, |item| item.price)
    }

    /// Every item with its index, in order.
    pub fn iter(&self) -> impl Iterator<Item = (ItemIndex, &Item)> {
        (1u32..).map(ItemIndex).zip(&self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "index,id,title,category,department,price,image\n";

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let parse = |rows: &str, count| ItemTable::parse(format!("{HEAD}{rows}").as_bytes(), count);
        let table = parse("1,a,A,c,d,1.5,/i\n2,b,B,c,d,0,/i\n", 2).ok().unwrap();
        assert_eq!(table.index_of("b").and_then(|i| table.get(i)).unwrap().title, "B");
        let found = |rows: &str, count| parse(rows, count).err().unwrap();
        assert_eq!(found("1,a,A,c,d,1,/i\n", 2), ("2 items".into(), "1".into()));
        assert_eq!(found("1,a,A,c,d,1,/i\n", usize::MAX).1, "1", "a mad count is no allocation");
        assert_eq!(found("2,a,A,c,d,1,/i\n", 1).0, "index 1 on line 2");
        assert_eq!(found("1,a,A,c,d,1,/i\n2,a,A,c,d,1,/i\n", 2).0, "a new id on line 3");
        assert_eq!(found("1,a,A,c,d,-1,/i\n", 1).0, "a price of 0 or more on line 2");
        assert!(found("1,a,A,c,d,dear,/i\n", 1).1.contains("line"));
    }
}
