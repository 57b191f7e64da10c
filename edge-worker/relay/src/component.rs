//! One request, from its path to its answer.

use std::sync::OnceLock;

use domicile_tables::{MAX_PATH, Page, Problem, RelayTable, TABLE_ROW};

use crate::answers;
use crate::bindings::domicile::boundary::routing::{self, Fallback, Outcome, Refusal};
use crate::bindings::domicile::boundary::tables;
use crate::bindings::exports::wasi::http::handler::Guest;
use crate::bindings::wasi::clocks::system_clock;
use crate::bindings::wasi::http::types::{ErrorCode, Method, Request, Response};
use crate::upstream;

pub(crate) struct Component;

impl Guest for Component {
    async fn handle(request: Request) -> Result<Response, ErrorCode> {
        Ok(answer(request).await)
    }
}

/// There is always an answer.
async fn answer(request: Request) -> Response {
    let page = match decide(&request) {
        Outcome::Shelf(shelf) => Page::Shelf { locale: shelf.locale, slot: shelf.slot },
        Outcome::Preflight => Page::Preflight,
        Outcome::Refuse(refusal) => Page::Problem(problem(refusal)),
        Outcome::Route(class) => Page::Route { class },
        Outcome::Keys(cell) => {
            // Nothing of what was sent with it goes anywhere.
            drop(request);
            match upstream::keys(table(), cell).await {
                Ok(response) => return response,
                Err(_) => Page::Problem(Problem::CellFailed),
            }
        }
        Outcome::Relay(relay) => match upstream::relay(table(), &relay, request).await {
            Ok(response) => return response,
            Err(reason) => match relay.fallback {
                Fallback::List => Page::Fallback { locale: relay.locale, slot: relay.slot, reason },
                Fallback::Strict => Page::Problem(reason.problem()),
            },
        },
    };
    answers::page(page).await
}

fn decide(request: &Request) -> Outcome {
    let method = match request.get_method() {
        Method::Get => routing::Method::Get,
        Method::Head => routing::Method::Head,
        Method::Post => routing::Method::Post,
        Method::Options => routing::Method::Options,
        _ => routing::Method::Other,
    };
    let path = request.get_path_with_query().unwrap_or_default();
    // The router has the same limit. Here it keeps a long text from being copied into the other component at all.
    if path.len() > MAX_PATH {
        return Outcome::Refuse(Refusal::PathTooLong);
    }
    routing::decide(method, &path, minute())
}

/// Whole minutes since 1970: all of the time the router is told.
fn minute() -> u32 {
    u32::try_from(system_clock::now().seconds / 60).unwrap_or(0)
}

/// The table, read once per instance. The forge reads back every table it writes; an empty one would fall back.
fn table() -> &'static RelayTable {
    static TABLE: OnceLock<RelayTable> = OnceLock::new();
    TABLE.get_or_init(|| RelayTable::decode(&tables::read(TABLE_ROW)).unwrap_or_default())
}

const fn problem(refusal: Refusal) -> Problem {
    match refusal {
        Refusal::UnknownRoute => Problem::UnknownRoute,
        Refusal::UnknownLocale => Problem::UnknownLocale,
        Refusal::UnknownSlot => Problem::UnknownSlot,
        Refusal::UnknownClass => Problem::UnknownClass,
        Refusal::NoSuchClass => Problem::NoSuchClass,
        Refusal::UnknownCell => Problem::UnknownCell,
        Refusal::CellNotInClass => Problem::CellNotInClass,
        Refusal::PinInvalid => Problem::PinInvalid,
        Refusal::PinExpired => Problem::PinExpired,
        Refusal::ShelfMethodNotAllowed => Problem::ShelfMethodNotAllowed,
        Refusal::SealedMethodNotAllowed => Problem::SealedMethodNotAllowed,
        Refusal::RouteMethodNotAllowed => Problem::RouteMethodNotAllowed,
        Refusal::KeysMethodNotAllowed => Problem::KeysMethodNotAllowed,
        Refusal::PathTooLong => Problem::PathTooLong,
    }
}
