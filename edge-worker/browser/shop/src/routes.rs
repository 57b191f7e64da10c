//! What the shop's server answers, by path.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::{HeaderMap, StatusCode, Uri, header};
use serde_json::Value;

use crate::capture::{Capture, Changes};
use crate::catalogue::Catalogue;
use crate::controls::{self, Controls};
use crate::guard;
use crate::pages::Pages;
use crate::picture;
use crate::refusal::Refusal;

/// A picture changes with the program that draws it.
const PICTURES_KEPT: &str = "public, max-age=3600";

/// What the server serves from.
pub(crate) struct Shop {
    pub(crate) pages: Pages,
    pub(crate) catalogue: Catalogue,
    pub(crate) capture: Arc<Capture>,
    pub(crate) controls: Arc<Controls>,
    /// For the page ([`crate::setup::Setup`]).
    pub(crate) setup: Value,
    /// What every answer carries.
    pub(crate) headers: HeaderMap,
}

type Shared = State<Arc<Shop>>;

/// The shop's own origin.
pub(crate) fn router(shop: Arc<Shop>) -> Router {
    Router::new()
        .route("/", get(shell))
        .route("/basket", get(shell))
        .route("/p/{id}", get(product))
        .route("/{file}", get(file))
        .route("/img/{file}", get(picture))
        .route("/demo/setup", get(setup))
        .route("/demo/items/{id}", get(item))
        .route("/demo/edge-saw", get(edge_saw))
        .route("/demo/cells", get(cells))
        .route("/demo/cells/{cell}/{wish}", post(wish))
        .fallback(async || Refusal::Unknown)
        .layer(from_fn(guard::guard))
        .layer(from_fn_with_state(Arc::clone(&shop), dressed))
        .with_state(shop)
}

/// The headers of every answer; one's own go before.
async fn dressed(State(shop): Shared, request: Request, next: Next) -> Response {
    let mut answer = next.run(request).await;
    for (name, value) in &shop.headers {
        answer.headers_mut().entry(name).or_insert_with(|| value.clone());
    }
    answer
}

async fn shell(State(shop): Shared) -> Response {
    shop.pages.shell(StatusCode::OK)
}

async fn product(State(shop): Shared, Path(id): Path<String>) -> Response {
    shop.pages.shell(if shop.catalogue.get(&id).is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND })
}

async fn file(State(shop): Shared, Path(name): Path<String>) -> Response {
    shop.pages.file(&name)
}

async fn picture(Path(file): Path<String>) -> Result<Response, Refusal> {
    let drawn = file.strip_suffix(".svg").and_then(picture::svg).ok_or(Refusal::Unknown)?;
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, PICTURES_KEPT)];
    Ok((headers, drawn).into_response())
}

async fn setup(State(shop): Shared) -> Json<Value> {
    Json(shop.setup.clone())
}

async fn item(State(shop): Shared, Path(id): Path<String>) -> Result<Response, Refusal> {
    shop.catalogue.get(&id).map(|item| Json(item).into_response()).ok_or(Refusal::Unknown)
}

/// What reached the edge after `?since=N`; all that is kept without it.
async fn edge_saw(State(shop): Shared, uri: Uri) -> Json<Changes> {
    let since =
        uri.query().and_then(|query| query.strip_prefix("since=")).and_then(|number| number.parse().ok());
    Json(shop.capture.since(since.unwrap_or(0)))
}

async fn cells(State(shop): Shared) -> Json<BTreeMap<String, controls::State>> {
    Json(shop.controls.states())
}

async fn wish(
    State(shop): Shared,
    Path((cell, wish)): Path<(String, String)>,
) -> Result<StatusCode, Refusal> {
    shop.controls.wish(&cell, &wish).map(|()| StatusCode::ACCEPTED)
}

#[cfg(test)]
#[path = "routes/tests.rs"]
mod tests;
