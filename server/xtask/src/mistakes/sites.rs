//! Places where mistakes can be made, as an example of the syntax crate finds them.

use crate::Failure;
use crate::workspace::{Workspace, cargo};
use serde_json::Value;
use std::path::Path;

/// A position and the text that is inserted there.
#[derive(Debug)]
pub(super) struct Site {
    /// The number of the file.
    pub(super) file: usize,
    pub(super) kind: String,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) replacement: String,
    /// Where the other half of the bracket, the quote or the tag starts.
    pub(super) half: Option<usize>,
}

impl Site {
    /// The text with the mistake in it.
    pub(super) fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.start], self.replacement, &text[self.end..])
    }
}

/// Chooses some positions of each kind in each file.
///
/// # Errors
/// An example that does not build or fails.
pub(super) fn find(
    workspace: &Workspace,
    language: &str,
    seed: u64,
    files: &[&Path],
) -> Result<Vec<Site>, Failure> {
    let output = cargo(&workspace.root)
        .args(["run", "--quiet", "-p", "syntax", "--example", "mistakes", "--"])
        .arg(workspace.root.join("server/xtask/mistakes.toml"))
        .args([language, &seed.to_string()])
        .args(files)
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("the example `mistakes` failed ({})", output.status));
    }
    String::from_utf8_lossy(&output.stdout).lines().map(site).collect()
}

fn site(line: &str) -> Result<Site, Failure> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
    let number =
        |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or_default();
    let half = &value["half"];
    Ok(Site {
        file: number(&value["file"]),
        kind: value["kind"].as_str().unwrap_or_default().to_owned(),
        start: number(&value["start"]),
        end: number(&value["end"]),
        replacement: value["text"].as_str().unwrap_or_default().to_owned(),
        half: half.is_u64().then(|| number(half)),
    })
}

/// Numbers that a seed determines (`SplitMix64`).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            let other = usize::try_from(self.next() % (index as u64 + 1)).unwrap_or_default();
            items.swap(index, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_put_into_the_text() {
        let line = r#"{"file":2,"kind":"k","start":2,"end":3,"text":"((","half":5}"#;
        let site = site(line).unwrap();
        assert_eq!((site.file, site.half), (2, Some(5)));
        assert_eq!(site.apply("f (x)"), "f ((x)");
    }

    #[test]
    fn a_seed_gives_the_same_order() {
        let order = |seed| {
            let mut items: Vec<u32> = (0..20).collect();
            Random::new(seed).shuffle(&mut items);
            items
        };
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
    }
}
