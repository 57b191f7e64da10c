//! Cells that drip, lie and break off. A page gets the list where nothing has been sent yet, and an aborted body where
//! something has; never another's bytes, and never a body that only looks whole.

use std::time::Duration;

use anyhow::Context as _;
use domicile_cluster::report;

use super::basics::falls_back;
use super::caller::{Answer, ask, try_ask};
use super::cell::{Does, STOWAWAY, large};
use super::stage::{Host, Stage};

const LARGE: usize = 300_000;
/// Faster than the guest's limit between two pieces (1 s): only a clock for the whole answer ends it.
const DRIP: Duration = Duration::from_millis(100);
/// Longer than the guest's and our host's clocks, shorter than the caller's patience.
const CLOCKS: Duration = Duration::from_secs(8);

pub(super) fn check(stage: &Stage) -> anyhow::Result<()> {
    large_answers(stage)?;
    if stage.host == Host::Ours {
        // `wasmtime serve` passes over interim heads for as long as its guest waits.
        let answer = under(stage, Does::HintsForEver, "sealed")?;
        falls_back(&answer, "cell-failed").map_err(|error| error.context("interim heads without end"))?;
    }
    // Before the first byte of an answer: the list.
    for does in [Does::Hangs, Does::Babbles, Does::Ambiguous] {
        let answer = under(stage, does.clone(), "sealed")?;
        falls_back(&answer, "cell-failed").map_err(|error| error.context(format!("{does:?}")))?;
    }
    // After it: a body that is visibly not whole.
    for does in [Does::SendsNoBody, Does::SendsLess, Does::BreaksOff, Does::Stalls] {
        aborted(stage, does)?;
    }
    if stage.host == Host::Ours {
        // `wasmtime serve` has no clock for a whole answer.
        aborted(stage, Does::Drips(DRIP))?;
    }
    stowaway(stage)
}

/// Asks a cell that does this; afterwards the edge has to be there for others.
fn under(stage: &Stage, does: Does, body: &str) -> anyhow::Result<Answer> {
    let name = format!("{does:?}");
    try_under(stage, does, body).transpose().context("no answer").flatten().context(name)
}

/// The same; none when the connection was closed before there was an answer.
fn try_under(stage: &Stage, does: Does, body: &str) -> anyhow::Result<Option<Answer>> {
    stage.cell.does(does);
    let answer = try_ask(stage.edge, "POST", &stage.route, "", body)?;
    stage.cell.does(Does::Echoes);
    let after = ask(stage.edge, "POST", &stage.route, "", "after")?;
    anyhow::ensure!(after.text() == "answer to after", "afterwards: {after:?}");
    stage.cell.taken();
    Ok(answer)
}

fn aborted(stage: &Stage, does: Does) -> anyhow::Result<()> {
    let (name, started) = (format!("{does:?}"), report::now());
    let answer = try_under(stage, does, "sealed").context(name.clone())?;
    anyhow::ensure!(started.elapsed() < CLOCKS, "{name}: past every clock, after {:?}", started.elapsed());
    // Another host that learns of it before it has sent the head just closes: visibly no answer.
    if answer.is_none() && stage.host == Host::WasmtimeServe {
        return Ok(());
    }
    let answer = answer.with_context(|| format!("{name}: closed without an answer"))?;
    // Or it was noticed before anything was sent on, or the body says that it is not whole.
    let noticed = falls_back(&answer, "cell-failed").is_ok();
    anyhow::ensure!(
        noticed || (answer.outcome() == "relayed" && !answer.whole),
        "{name}: looks whole: {answer:?}"
    );
    Ok(())
}

fn large_answers(stage: &Stage) -> anyhow::Result<()> {
    let answer = under(stage, Does::Large(LARGE), "sealed")?;
    anyhow::ensure!(
        answer.outcome() == "relayed" && answer.whole && answer.body == large(LARGE),
        "{} of {LARGE} bytes came, or not the same",
        answer.body.len()
    );
    Ok(())
}

/// A second answer behind the first on one connection to the cell: nobody may get it, whoever uses that connection next.
fn stowaway(stage: &Stage) -> anyhow::Result<()> {
    for _ in 0..8 {
        let answer = under(stage, Does::SendsMore, "sealed")?;
        let text = answer.text();
        anyhow::ensure!(text == "hello" || falls_back(&answer, "cell-failed").is_ok(), "{answer:?}");
        anyhow::ensure!(!text.contains(STOWAWAY), "a second answer got through: {text}");
    }
    Ok(())
}
