//! Writes the vectors: `cargo run -p domicile-vectors --example make`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    for vectors in domicile_vectors::ALL {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(vectors.file), vectors.text())?;
    }
    Ok(())
}
