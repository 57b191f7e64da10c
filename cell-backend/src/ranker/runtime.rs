//! ONNX Runtime, loaded from a library that is found at start.

use std::path::{Path, PathBuf};

use ort::environment::Environment;

use super::library;
use crate::failure::{Exit, Failure};

/// The variable that names the library when the command line does not.
pub const LIBRARY_VARIABLE: &str = "ORT_DYLIB_PATH";

const REMEDY: &str =
    "give libonnxruntime.so (1.20 or later) to --onnxruntime; `cargo xtask demo` installs one and says where";

/// The loaded runtime. A process has one.
pub struct Runtime {
    pub(super) environment: Environment,
    /// Where it was loaded from.
    pub library: PathBuf,
}

impl Runtime {
    /// Loads the library at `path`, or the one that [`LIBRARY_VARIABLE`] names.
    ///
    /// # Errors
    /// [`Failure`] when none is named, it is not there, or it is not a suitable ONNX Runtime.
    pub fn load(path: Option<&Path>) -> Result<Self, Failure> {
        let named =
            path.map(Path::to_owned).or_else(|| std::env::var_os(LIBRARY_VARIABLE).map(PathBuf::from));
        let library = named.ok_or_else(|| {
            Failure::new(Exit::Runtime, format!("ONNX Runtime: no library is named; {REMEDY}"))
        })?;
        let fail = |found: &str| Failure::file(Exit::Runtime, &library, "ONNX Runtime", found, REMEDY);
        if !library.is_file() {
            return Err(fail("no such file"));
        }
        if !library::is_whole(&library).map_err(|e| fail(&e.to_string()))? {
            return Err(fail("a library that was cut off"));
        }
        // A relative path would be looked for beside the executable first.
        let whole = library.canonicalize().map_err(|e| fail(&e.to_string()))?;
        let builder = ort::init_from(&whole).map_err(|e| fail(&e.to_string()))?;
        let environment = builder.with_name("domicile-cell").build().map_err(|e| fail(&e.to_string()))?;
        Ok(Self { environment, library })
    }
}
