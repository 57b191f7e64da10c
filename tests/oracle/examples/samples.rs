//! Writes the samples into `fuzz/corpus`, named by their hashes: `cargo run -p domicile-oracle --example samples`.

use std::path::Path;

use domicile_oracle::samples;

fn main() -> std::io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (target, inputs) in samples::all() {
        let folder = corpus.join(target);
        std::fs::create_dir_all(&folder)?;
        for input in inputs {
            std::fs::write(folder.join(&domicile_envelope::sha256_hex(&input)[..40]), &input)?;
        }
    }
    Ok(())
}
