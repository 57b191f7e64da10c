//! Text from a file, as it may stand on a page.
//!
//! Names in a component and texts in a manifest are whatever their author wrote. On a terminal, control characters move
//! the cursor and hide what was printed before; a line break makes a line that nobody printed; and the characters that
//! turn the direction of text around show a name as another (Unicode TR 36, 3.5). They stand as `\u001b`, which is what
//! JSON has for them.

use std::fmt::Write as _;

/// A text that fills a part of a line: with neither line breaks nor anything else that steers a terminal.
#[must_use]
pub fn shown(text: &str) -> String {
    escaped(text, |_| false)
}

/// A text of lines, with nothing but them and tabs that steers a terminal.
#[must_use]
pub fn shown_lines(text: &str) -> String {
    escaped(text, |character| matches!(character, '\n' | '\t'))
}

fn escaped(text: &str, kept: fn(char) -> bool) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, character| {
        if steers(character) && !kept(character) {
            // Writing into a text has no way to fail; none of these lies beyond the basic plane.
            let _ = write!(shown, "\\u{:04x}", u32::from(character));
        } else {
            shown.push(character);
        }
        shown
    })
}

/// Control characters of C0 and C1, line and paragraph separators, and what embeds, overrides or isolates a direction.
fn steers(character: char) -> bool {
    let turns = matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal_it_is_printed_on() {
        assert_eq!(
            shown("eu-a\n\u{1b}[2J\u{9b}K\r\u{202e}x\t"),
            r"eu-a\u000a\u001b[2J\u009bK\u000d\u202ex\u0009"
        );
        assert_eq!(shown_lines("a\tb\n\u{7f}"), "a\tb\n\\u007f");
        let harmless = "Käse – שלום 🧀 \u{200d}\\u";
        assert_eq!(shown(harmless), harmless);
    }

    #[test]
    fn json_stays_json() {
        let value = serde_json::json!({ "name": "\u{9b}2J\u{202e}\n" });
        let printed = shown_lines(&format!("{value:#}"));
        assert!(!printed.contains('\u{9b}') && !printed.contains('\u{202e}'), "{printed}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap(), value);
    }
}
