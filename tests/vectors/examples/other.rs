//! Opens another implementation's requests and answers them: `cargo run -p domicile-vectors --example other -- REQUESTS
//! ANSWERS`, both JSON. The first is in the form of `sealed.json`; so is the second.

use anyhow::Context as _;

fn main() -> anyhow::Result<()> {
    let mut files = std::env::args_os().skip(1);
    let (from, to) = files.next().zip(files.next()).context("give two files: REQUESTS ANSWERS")?;
    let text = std::fs::read_to_string(&from).with_context(|| format!("cannot read {}", from.display()))?;
    let answers = domicile_vectors::answers_to(&serde_json::from_str(&text)?).map_err(anyhow::Error::msg)?;
    std::fs::write(&to, format!("{answers:#}\n")).with_context(|| format!("cannot write {}", to.display()))
}
