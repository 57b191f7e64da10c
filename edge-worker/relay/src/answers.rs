//! Answers that do not come from a cell: all of them from the popularity component.

use domicile_tables::Page;

use crate::bindings::wasi::http::types::{Fields, Request, Response};
use crate::bindings::{wasi::http::handler, wit_future};

/// Asks popularity for a page. The request is a fresh one, made of numbers: nothing of the user's goes along.
pub(crate) async fn page(page: Page) -> Response {
    let (trailers, no_trailers) = wit_future::new(|| Ok(None));
    let (request, sent) = Request::new(Fields::new(), None, no_trailers, None);
    let response = match request.set_path_with_query(Some(&page.to_string())) {
        Ok(()) => handler::handle(request).await.unwrap_or_else(|_| unavailable()),
        Err(()) => unavailable(),
    };
    drop((trailers, sent));
    response
}

/// What is left when popularity fails as well: a status, and no body, since the relay can write none.
fn unavailable() -> Response {
    let (trailers, no_trailers) = wit_future::new(|| Ok(None));
    let (response, sent) = Response::new(Fields::new(), None, no_trailers);
    // 503 is a valid status, so this cannot fail; if it did, there would be no better answer.
    let _ = response.set_status_code(503);
    drop((trailers, sent));
    response
}
