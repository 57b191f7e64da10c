//! The lines of the Prometheus text format (exposition format 0.0.4).

use std::fmt::{Display, Write as _};

// Writing into a string has no way to fail.

/// What a family of series is: its help and its kind (`counter`, `gauge`, `histogram`).
pub fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// One value. `labels` stand as they are between the braces: they are enums of the caller's, never a request's text.
pub fn line(text: &mut String, name: &str, labels: &str, value: impl Display) {
    let _ = if labels.is_empty() {
        writeln!(text, "{name} {value}")
    } else {
        writeln!(text, "{name}{{{labels}}} {value}")
    };
}

#[cfg(test)]
mod tests {
    use super::{head, line};

    #[test]
    fn a_family_is_its_head_and_its_values() {
        let mut text = String::new();
        head(&mut text, "a_total", "counter", "How many.");
        line(&mut text, "a_total", "", 1);
        line(&mut text, "a_total", "b=\"c\"", 2);
        assert_eq!(text, "# HELP a_total How many.\n# TYPE a_total counter\na_total 1\na_total{b=\"c\"} 2\n");
    }
}
