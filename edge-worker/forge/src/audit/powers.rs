//! What a component may do, in words.

use super::Inventory;

/// Something a component is able to do.
struct Power {
    words: &'static str,
    held: fn(&Inventory) -> bool,
}

/// What a reader of an audit asks about, harmless things first.
const POWERS: [Power; 13] = [
    Power {
        words: "see the method and path of a request",
        held: |i| calls(i, &["[method]request.get-path-with-query"]),
    },
    Power { words: "see the status of an answer", held: |i| calls(i, &["[method]response.get-status-code"]) },
    Power { words: "make headers of its own", held: |i| calls(i, &["[static]fields.from-list"]) },
    Power {
        words: "move a body on as a handle",
        held: |i| calls(i, &["[static]request.consume-body", "[static]response.consume-body"]),
    },
    Power { words: "tell the time", held: |i| imports(i, "wasi:clocks/system-clock") },
    Power { words: "hand requests to another component", held: |i| imports(i, "wasi:http/handler") },
    Power {
        words: "send requests to hosts that its own host allows",
        held: |i| imports(i, "wasi:http/client"),
    },
    Power { words: "write a body", held: |i| builtin(i, &["stream-write "]) },
    Power { words: "read a body", held: |i| builtin(i, &["stream-read ", "stream-forward "]) },
    Power {
        words: "read a header",
        held: |i| {
            calls(
                i,
                &[
                    "[method]request.get-headers",
                    "[method]response.get-headers",
                    "[method]fields.get",
                    "[method]fields.has",
                    "[method]fields.copy-all",
                    "[method]fields.clone",
                    "[method]fields.get-and-delete",
                ],
            )
        },
    },
    Power {
        words: "see the host a request was sent to",
        held: |i| calls(i, &["[method]request.get-authority"]),
    },
    Power { words: "read a trailer", held: |i| builtin(i, &["future-read future<result<option<own>"]) },
    Power { words: "hand trailers on", held: |i| !i.trailers_kept.is_empty() },
];

/// What a component may do, and what of the same list it cannot.
pub(super) fn of(inventory: &Inventory) -> (Vec<&'static str>, Vec<&'static str>) {
    let (held, lacking): (Vec<_>, Vec<_>) = POWERS.iter().partition(|power| (power.held)(inventory));
    let words = |powers: Vec<&Power>| powers.iter().map(|power| power.words).collect();
    (words(held), words(lacking))
}

fn calls(inventory: &Inventory, names: &[&str]) -> bool {
    inventory.imports.iter().flat_map(|import| &import.functions).any(|name| names.contains(&name.as_str()))
}

fn imports(inventory: &Inventory, interface: &str) -> bool {
    inventory.imports.iter().any(|import| import.name.starts_with(interface) && !import.functions.is_empty())
}

fn builtin(inventory: &Inventory, prefixes: &[&str]) -> bool {
    inventory.builtins.iter().any(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
}
