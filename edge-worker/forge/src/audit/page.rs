//! An audit as a page to read.

use std::fmt;

use super::{Audit, Rule};

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "sha256  {}", self.sha256)?;
        writeln!(f, "size    {} bytes", self.bytes)?;
        writeln!(f, "\nimports from the host:")?;
        if self.imports.is_empty() {
            writeln!(f, "  none")?;
        }
        for import in &self.imports {
            let only_types = if import.functions.is_empty() { "  (types only)" } else { "" };
            writeln!(f, "  {}{only_types}", import.name)?;
        }
        for component in &self.components {
            writeln!(f, "\n{}:", component.part)?;
            let inventory = &component.inventory;
            for interface in &inventory.imports {
                match interface.functions.len() {
                    0 => writeln!(f, "  may use {} (types only)", interface.name)?,
                    _ => writeln!(f, "  may call {}: {}", interface.name, interface.functions.join(", "))?,
                }
            }
            if inventory.imports.is_empty() {
                writeln!(f, "  imports nothing")?;
            }
            let builtins: Vec<_> = inventory.builtins.iter().map(String::as_str).collect();
            writeln!(
                f,
                "  built-ins: {}",
                if builtins.is_empty() { "none".into() } else { builtins.join(", ") }
            )?;
        }
        if self.passed() {
            return writeln!(f, "\npassed: nothing but what the lists allow");
        }
        writeln!(f, "\nFAILED")?;
        for finding in &self.findings {
            let rule = match finding.rule {
                Rule::NotAllowed => "not in its list",
                Rule::World => "does not keep to its world",
                Rule::Parts => "not the three parts of an edge",
                Rule::Nested => "a part is not to have parts",
                Rule::OwnCode => "the whole is not to have code of its own",
            };
            writeln!(f, "  {}: {rule}: {}", finding.component, finding.item)?;
        }
        Ok(())
    }
}
