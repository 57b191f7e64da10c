//! A panic of the store's library, caught.
//!
//! redb trusts a file that was closed in order, and panics at a page that was damaged since. Each request would then
//! cost a thread its stack and the log a trace. Here, and only here, a panic becomes an error; while a call of this
//! module runs on a thread the panic hook says nothing for that thread, and every other panic is told as ever.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use super::StoreError;

thread_local! {
    /// Whether this thread is in a call of the library.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Calls the library.
///
/// # Errors
/// What `call` gives, and [`StoreError::Damaged`] when it panics. What it was working on may be half done: only the
/// store itself may be used after that, whose locks then say that they are poisoned.
pub(super) fn guarded<T>(call: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| set_hook(outside_only(take_hook())));
    let before = INSIDE.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    INSIDE.set(before);
    result.unwrap_or(Err(StoreError::Damaged))
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Send + Sync>;

/// `hook` for the panics that are not caught here.
fn outside_only(hook: Hook) -> Hook {
    Box::new(move |panic| {
        if !INSIDE.try_with(Cell::get).unwrap_or(false) {
            hook(panic);
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_panic_in_here_is_an_error_and_any_other_is_told_as_ever() {
        let told = Arc::<AtomicUsize>::default();
        let (count, before) = (Arc::clone(&told), take_hook());
        set_hook(outside_only(Box::new(move |panic| match panic.payload().downcast_ref::<&str>() {
            Some(&"this test's") => drop(count.fetch_add(1, Ordering::Relaxed)),
            _ => before(panic),
        })));
        let inside = guarded(|| -> Result<(), StoreError> { panic!("this test's") });
        assert!(matches!(inside, Err(StoreError::Damaged)));
        assert_eq!(told.load(Ordering::Relaxed), 0);
        assert!(catch_unwind(|| panic!("this test's")).is_err());
        assert_eq!(told.load(Ordering::Relaxed), 1);
    }
}
