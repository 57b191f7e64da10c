//! Canaries in linear memory: what a guest has in its memory, it could read. None of a header, a trailer or a body may
//! be there, neither of a request nor of an answer; the path has to be, or the search would find nothing.

use std::collections::BTreeSet;

use anyhow::Context as _;
use domicile_cluster::memory::{Memory, holds};

use super::caller::Connection;
use super::canaries::{BODY, canary, exchange, places, request};
use super::cell::Does;
use super::stage::Stage;

/// Router, popularity and relay.
const COMPONENTS: usize = 3;
/// What a cell says beside the body, and in it.
const ANSWER: [&str; 2] = ["canary-answer", "answer to "];

/// Reads the linear memories of our host's instances after requests full of canaries.
pub(super) fn check(stage: &Stage) -> anyhow::Result<()> {
    let Some(process) = stage.process() else { return Ok(()) };
    stage.cell.does(Does::Echoes);
    // A request, and the head of another one that has no end: once the first is answered, the host holds the second in
    // its own memory, for as long as the connection is open.
    let held = canary("held");
    let mut open = Connection::open(stage.edge)?;
    let shelf = "GET /v1/shelf/de-DE/home HTTP/1.1\r\nhost: edge.example\r\n";
    open.send(format!("{shelf}\r\n{shelf}cookie: {held}\r\n").as_bytes())?;
    open.answer()?.context("no shelf")?;
    // The last request's path is the one that nothing has been written over.
    let made_up = stage.route.replace("/v1/sealed/", &format!("/v1/sealed/{}", canary("path")));
    for path in [stage.route.as_str(), &format!("{made_up}?{}", canary("query"))] {
        exchange(stage.edge, &request(path))?;
    }
    stage.cell.taken();
    let memory = Memory::of(process)?;
    drop(open);

    anyhow::ensure!(memory.linear.len() >= COMPONENTS, "{} linear memories", memory.linear.len());
    for place in ["path", "query"] {
        let text = canary(place);
        anyhow::ensure!(
            memory.linear.iter().any(|bytes| holds(bytes, &text)),
            "the canary of the {place}, which the guest reads, was not found: nothing was searched"
        );
    }
    anyhow::ensure!(
        memory.is_elsewhere(&held)?,
        "a header that the host holds was not found in its own memory: heaps are taken for something else"
    );
    let never = places().map(canary).chain(ANSWER.map(str::to_owned)).chain([BODY.to_owned(), held]);
    let found: BTreeSet<_> =
        never.filter(|text| memory.linear.iter().any(|bytes| holds(bytes, text))).collect();
    anyhow::ensure!(found.is_empty(), "in a guest's linear memory: {found:?}");
    Ok(())
}
