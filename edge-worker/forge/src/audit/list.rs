//! The lists of what may be: `golden/*.txt`.

use crate::Part;

/// What one component may contain, a line for each item.
#[derive(Debug, Clone)]
pub struct AllowList {
    lines: Vec<&'static str>,
}

impl AllowList {
    /// The list of a part before plugging.
    #[must_use]
    pub fn of_part(part: Part) -> Self {
        Self::parse(match part {
            Part::Router => include_str!("../../golden/router.txt"),
            Part::Popularity => include_str!("../../golden/popularity.txt"),
            Part::Relay => include_str!("../../golden/relay.txt"),
        })
    }

    /// The list of the whole after plugging.
    #[must_use]
    pub fn of_edge() -> Self {
        Self::parse(include_str!("../../golden/edge.txt"))
    }

    fn parse(text: &'static str) -> Self {
        Self { lines: text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect() }
    }

    /// Whether a line is in the list.
    #[must_use]
    pub fn allows(&self, line: &str) -> bool {
        self.lines.contains(&line)
    }

    /// The lines.
    pub fn lines(&self) -> impl Iterator<Item = &'static str> {
        self.lines.iter().copied()
    }
}
