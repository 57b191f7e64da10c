//! What the edge is for: a shelf, a relayed request, and the list where there is no cell.

use super::caller::ask;
use super::cell::Does;
use super::stage::Stage;

/// The codes of a cell, and what the edge makes of them (`docs/edge.md`).
const CODES: [(u16, &str); 8] = [
    (400, "key-refused"),
    (422, "key-refused"),
    (413, "too-large"),
    (429, "cell-busy"),
    (503, "cell-busy"),
    (500, "cell-failed"),
    (204, "cell-failed"),
    (302, "cell-failed"),
];

/// A shelf and a relayed request; fallbacks by the cell's status.
pub(super) fn check(stage: &Stage) -> anyhow::Result<()> {
    let shelf = ask(stage.edge, "GET", "/v1/shelf/de-DE/home", "", "")?;
    anyhow::ensure!(shelf.status == 200 && shelf.text().contains("\"items\":["), "no shelf: {shelf:?}");

    stage.cell.does(Does::Echoes);
    let relayed = ask(stage.edge, "POST", &stage.route, "", "sealed")?;
    anyhow::ensure!(
        (relayed.status, relayed.outcome()) == (200, "relayed") && relayed.text() == "answer to sealed",
        "the request was not relayed: {relayed:?}"
    );

    for (status, reason) in CODES {
        stage.cell.does(Does::Answers(status));
        let list = ask(stage.edge, "POST", &stage.route, "", "sealed")?;
        falls_back(&list, reason)?;
        anyhow::ensure!(
            !format!("{list:?}").contains("canary"),
            "{status}: the cell's words got through: {list:?}"
        );
        let strict = ask(stage.edge, "POST", &format!("{}?strict", stage.route), "", "sealed")?;
        anyhow::ensure!(strict.status == 503 && strict.text().contains(reason), "strict: {strict:?}");
        anyhow::ensure!(strict.header("retry-after") != "77", "the cell's Retry-After got through");
    }
    stage.cell.requests().map(drop)
}

/// An error when this is not the list, for this reason.
pub(super) fn falls_back(answer: &super::caller::Answer, reason: &str) -> anyhow::Result<()> {
    let wanted = format!("fallback; reason={reason}");
    anyhow::ensure!(
        (answer.status, answer.outcome()) == (200, wanted.as_str())
            && answer.text().contains("\"rung\":\"list\""),
        "no fallback for {reason}: {answer:?}"
    );
    Ok(())
}

/// An edge whose cell nobody answers for: the list, within the slot's wait.
pub(super) fn without_a_cell(stage: &Stage) -> anyhow::Result<()> {
    let alone = Stage::without_a_cell(stage.host)?;
    falls_back(&ask(alone.edge, "POST", &alone.route, "", "sealed")?, "cell-failed")
}
