//! What crosses crates: end-to-end and boundary tests over real processes.
