//! The component around [`answer`]: reads the path, writes the body.

use std::sync::OnceLock;

use domicile_tables::{Lists, Page, Problem, TABLE_ROW};

use crate::bindings::domicile::boundary::tables;
use crate::bindings::exports::wasi::http::handler::Guest;
use crate::bindings::wasi::clocks::system_clock;
use crate::bindings::wasi::http::types::{ErrorCode, Fields, Request, Response};
use crate::bindings::{wit_future, wit_stream};
use crate::{Answer, answer};

pub(crate) struct Component;

impl Guest for Component {
    async fn handle(request: Request) -> Result<Response, ErrorCode> {
        let path = request.get_path_with_query().unwrap_or_default();
        let page = Page::parse(&path).unwrap_or(Page::Problem(Problem::UnknownRoute));
        send(answer(page, lists(), system_clock::now().seconds, tables::read))
    }
}

/// The table, read once per instance. The forge reads back every table it writes; an empty one has no lists.
fn lists() -> &'static Lists {
    static LISTS: OnceLock<Lists> = OnceLock::new();
    LISTS.get_or_init(|| Lists::decode(&tables::read(TABLE_ROW)).unwrap_or_default())
}

fn send(answer: Answer) -> Result<Response, ErrorCode> {
    let length = answer.length();
    let mut headers: Vec<(String, Vec<u8>)> =
        answer.headers.into_iter().map(|(name, value)| (name.to_owned(), value.into_bytes())).collect();
    // A 204 has no length (RFC 9110, section 8.6). Elsewhere it spares the host the chunks.
    if length > 0 {
        headers.push(("content-length".to_owned(), length.to_string().into_bytes()));
    }
    let headers = Fields::from_list(&headers).map_err(|_| ErrorCode::ConfigurationError)?;
    let (trailers, no_trailers) = wit_future::new(|| Ok(None));
    let body = if length > 0 {
        let (mut writer, reader) = wit_stream::new();
        let bytes = answer.body.concat().into_bytes();
        // The answer has to be out before its body can be written, so the writing is a task of its own. A host that
        // wants no body (HEAD) drops the reader, which ends the write.
        wit_bindgen::spawn(async move {
            writer.write_all(bytes).await;
        });
        Some(reader)
    } else {
        None
    };
    let (response, sent) = Response::new(headers, body, no_trailers);
    drop((trailers, sent));
    response.set_status_code(answer.status).map_err(|()| ErrorCode::ConfigurationError)?;
    Ok(response)
}
