//! What is wrong with a topology: all of it at once, each with its place.

use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: a line of the file, or the entry's path such as `cell "eu-a": authority`.
    pub place: String,
    /// What is wrong and what to write instead.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// Everything that is wrong with a topology.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyError {
    /// At least one problem, in the file's order.
    pub problems: Vec<Problem>,
}

impl TopologyError {
    pub(crate) fn one(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self { problems: vec![Problem { place: place.into(), text: text.into() }] }
    }
}

impl fmt::Display for TopologyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for TopologyError {}
