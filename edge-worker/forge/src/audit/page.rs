//! An audit as a page to read.

use std::fmt;

use super::{Audit, ComponentAudit, Rule, powers};
use crate::shown;

/// What a reader of the page has to know of how it came to be.
const CHECKED: [&str; 4] = [
    "every import, imported function and built-in of each part and of the whole: against a list of what may be",
    "each part and the whole: against its world in wit/, as a linker would",
    "the whole: made of exactly router, popularity and relay, with nothing beside or further inside them",
    "trailers: dropped on the spot wherever a body is taken, so that none can be handed on",
];

/// The page's width in characters.
const WIDTH: usize = 110;

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "sha256        {}", self.sha256)?;
        writeln!(f, "size          {} bytes", self.bytes)?;
        writeln!(f, "\nWhat it asks of its host")?;
        if self.imports.is_empty() {
            writeln!(f, "  nothing")?;
        }
        for import in &self.imports {
            let only_types = if import.functions.is_empty() { "  (types only)" } else { "" };
            writeln!(f, "  {}{only_types}", shown(&import.name))?;
        }
        self.components.iter().try_for_each(|component| part(f, component))?;
        writeln!(f, "\nWhat was checked")?;
        CHECKED.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        if self.passed() {
            return writeln!(f, "\nPASSED: nothing was found but what may be");
        }
        writeln!(f, "\nFAILED")?;
        for finding in &self.findings {
            writeln!(f, "  {}: {}: {}", finding.component, finding.rule, shown(&finding.item))?;
        }
        Ok(())
    }
}

fn part(f: &mut fmt::Formatter<'_>, component: &ComponentAudit) -> fmt::Result {
    let inventory = &component.inventory;
    let (may, cannot) = powers::of(inventory);
    writeln!(f, "\nPart {}", component.part)?;
    list(f, "can", "; ", &may)?;
    list(f, "cannot", "; ", &cannot)?;
    if inventory.imports.is_empty() {
        list(f, "imports", "", &["nothing"])?;
    }
    for interface in &inventory.imports {
        let functions: Vec<_> = interface.functions.iter().map(|name| shown(name)).collect();
        let functions = if functions.is_empty() { vec!["types only".to_owned()] } else { functions };
        list(f, "imports", "", &[format!("{}:", shown(&interface.name))])?;
        list(f, "", ", ", &functions)?;
    }
    let builtins: Vec<_> = inventory.builtins.iter().map(|name| shown(name)).collect();
    list(f, "built-ins", ", ", &builtins)
}

/// A word, then items behind it, over as many lines as they need.
fn list(f: &mut fmt::Formatter<'_>, word: &str, separator: &str, items: &[impl AsRef<str>]) -> fmt::Result {
    const INDENT: usize = 13;
    write!(f, "  {word:<11}")?;
    let mut column = INDENT;
    for (at, item) in items.iter().enumerate() {
        let item = item.as_ref();
        let separator = if at + 1 < items.len() { separator.trim_end() } else { "" };
        let length = item.chars().count() + separator.len() + 1;
        if column > INDENT && column + length > WIDTH {
            write!(f, "\n{:INDENT$}", "")?;
            column = INDENT;
        }
        write!(f, "{}{item}{separator}", if column > INDENT { " " } else { "" })?;
        column += length;
    }
    writeln!(f, "{}", if items.is_empty() { "nothing of this" } else { "" })
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAllowed => "not in its list",
            Self::World => "does not keep to its world",
            Self::Parts => "not the three parts of an edge",
            Self::Nested => "a part is not to have parts",
            Self::Trailers => "may hand trailers on",
            Self::Manifest => "the manifest does not hold",
            Self::Modules => "not what these modules make",
            Self::OwnCode => "the whole is not to have code of its own",
        })
    }
}
