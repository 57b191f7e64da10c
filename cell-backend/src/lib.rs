//! One complete serving unit: gateway, features, retrieval, ranking, fallbacks.
//!
//! A request's path reads top to bottom in [`pipeline`]; everything else is a part that it uses. What a part decides
//! is in `policy/*`, pure; what it does is here. A cell loads a topology, one signed snapshot and one signed overlay,
//! opens its store, warms its models, and only then says that it is ready; a start that cannot work ends in one line
//! and an exit code of its own ([`failure`]).

pub mod admin;
pub mod cell;
pub mod clock;
pub mod config;
mod export;
pub mod failure;
pub mod features;
pub mod gateway;
pub mod import;
pub mod inputs;
pub mod last_good;
pub mod listen;
pub mod overlay;
pub mod pins;
pub mod pipeline;
pub mod ranker;
mod refusal;
pub mod retrieval;
pub mod room;
pub mod sealing;
pub mod serve;
pub mod shelf;
pub mod snapshots;
pub mod telemetry;
#[cfg(test)]
mod testing;
pub mod tls;
pub mod tokens;
pub mod trip;
pub mod upkeep;
