//! What happens to a request before the guest and to an answer after it: one idea a file.

pub(crate) mod conditional;
pub(crate) mod intake;
pub(crate) mod refusal;
pub(crate) mod route;
pub(crate) mod strip;
