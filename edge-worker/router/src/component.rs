//! The component around [`decide`]: reads the table once, then only decides.

use std::sync::OnceLock;

use domicile_tables::{RoutingTable, TABLE_ROW};

use crate::bindings::domicile::boundary::tables;
use crate::bindings::exports::domicile::boundary::routing::{Guest, Method, Outcome};
use crate::decide;

pub(crate) struct Component;

impl Guest for Component {
    fn decide(method: Method, path: String, minute: u32) -> Outcome {
        decide(table(), method, &path, minute)
    }
}

/// The table, read once per instance. The forge reads back every table it writes, so an unreadable one cannot be
/// built; if it could, an empty table refuses every request.
fn table() -> &'static RoutingTable {
    static TABLE: OnceLock<RoutingTable> = OnceLock::new();
    TABLE.get_or_init(|| RoutingTable::decode(&tables::read(TABLE_ROW)).unwrap_or_default())
}
