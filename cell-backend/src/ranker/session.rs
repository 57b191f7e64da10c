//! One thread's sessions, and the contract that their models have to meet.

use std::borrow::Cow;

use ort::session::builder::GraphOptimizationLevel;
use ort::session::{Session, SessionInputValue};
use ort::value::{Outlet, TensorElementType, TensorRef, ValueType};

use super::Model;
use super::runtime::Runtime;
use super::worker::Work;
use crate::failure::{Exit, Failure};
use crate::inputs::{CandidateInputs, RequestInputs};
use crate::snapshots::Snapshot;
use crate::snapshots::manifest::{CONTEXT, CROSS, SHOPPER};

/// Any number: a batch size, or a number of candidates.
const ANY: i64 = -1;

/// The sessions of an inference thread, by its lane.
pub(super) enum Sessions {
    /// The full ranker's.
    Full(Session),
    /// The tower's and the compact ranker's.
    Quick {
        tower: Session,
        compact: Session,
        /// Length of an embedding, and so of a query.
        dim: usize,
    },
}

/// Why a model gave no usable numbers. Never holds them.
#[derive(Debug)]
pub(super) struct RunError(String);

/// An input or output: its name, what its elements are, and its shape ([`ANY`] where a side is free).
type Port = (&'static str, TensorElementType, Vec<i64>);
type Named<'v> = Vec<(Cow<'static, str>, SessionInputValue<'v>)>;

impl Sessions {
    /// Opens and checks the full ranker.
    pub(super) fn full(runtime: &Runtime, snapshot: &Snapshot) -> Result<Self, Failure> {
        let path = &snapshot.manifest.files.full.path;
        open(runtime, path, &snapshot.models.full, &ranker_contract(snapshot)).map(Self::Full)
    }

    /// Opens and checks the tower and the compact ranker.
    pub(super) fn quick(runtime: &Runtime, snapshot: &Snapshot) -> Result<Self, Failure> {
        let (models, files) = (&snapshot.models, &snapshot.manifest.files);
        Ok(Self::Quick {
            tower: open(runtime, &files.tower.path, &models.tower, &tower_contract(snapshot))?,
            compact: open(runtime, &files.compact.path, &models.compact, &ranker_contract(snapshot))?,
            dim: snapshot.manifest.dim,
        })
    }

    /// The query \[D\], or the scores \[C\].
    pub(super) fn run(&mut self, work: &Work) -> Result<Vec<f32>, RunError> {
        match (self, work) {
            (Self::Quick { tower, dim, .. }, Work::Query(request)) => {
                run(tower, shared_inputs(request)?, "query", *dim)
            }
            (Self::Quick { compact: session, .. }, Work::Score(Model::Compact, request, candidates))
            | (Self::Full(session), Work::Score(Model::Full, request, candidates)) => {
                run(session, ranker_inputs(request, candidates)?, "scores", candidates.len())
            }
            (_, work) => Err(RunError(format!("a {} at another lane", work.task().as_str()))),
        }
    }
}

impl RunError {
    /// The failure of a start that cannot even warm its models.
    pub(super) fn failure(&self, file: &str) -> Failure {
        Failure::new(
            Exit::Runtime,
            format!("{file}: expected numbers from a run with synthetic inputs, found {}; {REMEDY}", self.0),
        )
    }
}

const REMEDY: &str = "publish a snapshot whose models meet the ONNX contract (models/README.md)";

fn open(
    runtime: &Runtime,
    file: &str,
    bytes: &[u8],
    contract: &(Vec<Port>, Port),
) -> Result<Session, Failure> {
    let fail = |expected: &str, found: &str| {
        Failure::new(Exit::Runtime, format!("{file}: expected {expected}, found {found}; {REMEDY}"))
    };
    let session = build(runtime, bytes).map_err(|e| fail("an ONNX model", &e))?;
    let (inputs, output) = contract;
    for port in inputs {
        check(session.inputs(), port).map_err(|found| fail(&format!("input {}", describe(port)), &found))?;
    }
    for outlet in session.inputs() {
        if inputs.iter().all(|(name, ..)| *name != outlet.name()) {
            let names: Vec<&str> = inputs.iter().map(|(name, ..)| *name).collect();
            return Err(fail(
                &format!("the inputs {}", names.join(", ")),
                &format!("also {}", outlet.name()),
            ));
        }
    }
    check(session.outputs(), output)
        .map_err(|found| fail(&format!("output {}", describe(output)), &found))?;
    Ok(session)
}

/// One thread per session: parallelism comes from the number of inference threads, and a spinning pool would take
/// the cores from them. No memory patterns: one would be kept for every number of candidates.
fn build(runtime: &Runtime, bytes: &[u8]) -> Result<Session, String> {
    let text = |e: &dyn std::fmt::Display| e.to_string();
    Session::builder(&runtime.environment)
        .map_err(|e| text(&e))?
        .with_intra_threads(1)
        .map_err(|e| text(&e))?
        .with_inter_threads(1)
        .map_err(|e| text(&e))?
        .with_intra_op_spinning(false)
        .map_err(|e| text(&e))?
        .with_memory_pattern(false)
        .map_err(|e| text(&e))?
        .with_optimization_level(GraphOptimizationLevel::All)
        .map_err(|e| text(&e))?
        .commit_from_memory(bytes)
        .map_err(|e| text(&e))
}

fn check(outlets: &[Outlet], (name, element, shape): &Port) -> Result<(), String> {
    let outlet = outlets.iter().find(|outlet| outlet.name() == *name).ok_or("none of that name")?;
    let &ValueType::Tensor { ty, shape: ref found, .. } = outlet.dtype() else {
        return Err("no tensor".into());
    };
    let fits =
        |(&found, &wanted): (&i64, &i64)| found == ANY || found == wanted || (wanted == ANY && found == 1);
    if ty == *element && found.len() == shape.len() && found.iter().zip(shape).all(fits) {
        Ok(())
    } else {
        Err(format!("{ty} {}", dimensions(found.iter().copied())))
    }
}

fn describe((name, element, shape): &Port) -> String {
    format!("{name:?} of {element} {}", dimensions(shape.iter().copied()))
}

fn dimensions(shape: impl Iterator<Item = i64>) -> String {
    let sides: Vec<String> =
        shape.map(|side| if side < 0 { "any".into() } else { side.to_string() }).collect();
    format!("[{}]", sides.join(", "))
}

fn side(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn shared_contract(snapshot: &Snapshot) -> Vec<Port> {
    use TensorElementType::{Float32, Int64};
    let (history, anchor) = (side(snapshot.manifest.limits.history), side(snapshot.manifest.limits.anchor));
    vec![
        ("history", Int64, vec![ANY, history]),
        ("history_weight", Float32, vec![ANY, history]),
        ("history_age", Float32, vec![ANY, history]),
        ("history_type", Float32, vec![ANY, history]),
        ("anchor", Int64, vec![ANY, anchor]),
        ("context", Float32, vec![ANY, side(CONTEXT)]),
    ]
}

fn tower_contract(snapshot: &Snapshot) -> (Vec<Port>, Port) {
    let query = ("query", TensorElementType::Float32, vec![ANY, side(snapshot.manifest.dim)]);
    (shared_contract(snapshot), query)
}

fn ranker_contract(snapshot: &Snapshot) -> (Vec<Port>, Port) {
    use TensorElementType::{Float32, Int64};
    let mut inputs = shared_contract(snapshot);
    inputs.push(("candidates", Int64, vec![ANY, ANY]));
    inputs.push(("cross", Float32, vec![ANY, ANY, side(CROSS)]));
    inputs.push(("shopper", Float32, vec![ANY, side(SHOPPER)]));
    (inputs, ("scores", Float32, vec![ANY, ANY]))
}

fn shared_inputs(request: &RequestInputs) -> Result<Named<'_>, RunError> {
    let history = [1, request.history.len()];
    Ok(vec![
        input("history", &history, &request.history)?,
        input("history_weight", &history, &request.history_weight)?,
        input("history_age", &history, &request.history_age)?,
        input("history_type", &history, &request.history_type)?,
        input("anchor", &[1, request.anchor.len()], &request.anchor)?,
        input("context", &[1, CONTEXT], &request.context)?,
    ])
}

fn ranker_inputs<'v>(
    request: &'v RequestInputs,
    candidates: &'v CandidateInputs,
) -> Result<Named<'v>, RunError> {
    let count = candidates.len();
    let mut inputs = shared_inputs(request)?;
    inputs.push(input("candidates", &[1, count], &candidates.candidates)?);
    inputs.push(input("cross", &[1, count, CROSS], &candidates.cross)?);
    inputs.push(input("shopper", &[1, SHOPPER], &request.shopper)?);
    Ok(inputs)
}

fn input<'v, T>(
    name: &'static str,
    shape: &[usize],
    values: &'v [T],
) -> Result<(Cow<'static, str>, SessionInputValue<'v>), RunError>
where
    T: ort::value::PrimitiveTensorElementType + Clone + std::fmt::Debug + 'static,
{
    let tensor = TensorRef::from_array_view((shape.to_vec(), values)).map_err(|e| RunError(e.to_string()))?;
    Ok((Cow::Borrowed(name), tensor.into()))
}

/// Runs a session and takes its one output, if it is `count` finite numbers: a graph may declare its sides free.
fn run(session: &mut Session, inputs: Named<'_>, output: &str, count: usize) -> Result<Vec<f32>, RunError> {
    let outputs = session.run(inputs).map_err(|e| RunError(e.to_string()))?;
    let value = outputs.get(output).ok_or_else(|| RunError(format!("no output {output:?}")))?;
    let (_, numbers) = value.try_extract_tensor::<f32>().map_err(|e| RunError(e.to_string()))?;
    if numbers.len() != count {
        return Err(RunError(format!(
            "{} numbers of {output:?} where there have to be {count}",
            numbers.len()
        )));
    }
    if numbers.iter().any(|number| !number.is_finite()) {
        return Err(RunError("a number that is not finite".into()));
    }
    Ok(numbers.to_vec())
}
