//! Slow, independent readings of what must not be read wrongly.
//!
//! Fuzzing finds crashes by itself; a wrong answer it finds only when somebody knows the right one. Each module here
//! says it for one subject, written the plain way, without the subject's own helpers and without care for speed. The
//! fuzz targets (`fuzz/`) and the property tests (`tests/`) compare with it: one module and one small file in
//! `fuzz/src/bin` is a new target.

pub mod router;
