//! The speed table, from the samples that the benchmark left behind.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

const SIZES: [&str; 3] = ["1000", "10000", "100000"];
/// Directory of a figure below that of its size and engine, and what it stands for.
const PATCHES: [(&str, &str); 4] = [
    ("exact", "exact"),
    ("reindented", "re-indented"),
    ("typo", "with a slip"),
    ("absent", "absent, with diagnostics"),
];
const ENGINES: [&str; 3] = ["tandem", "mpatch", "codex"];

/// Both tables: engines side by side, and inputs made to be slow. Figures from before `start`
/// are none.
pub(super) fn tables(criterion: &Path, start: SystemTime) -> String {
    let cell = |folder: &Path| figure(folder, start).unwrap_or_else(|| "—".to_owned());
    let mut text = format!(
        "Median of ten samples / the slowest of them; codex's are whole runs of its program, whose \
         start, reading and writing are part of them.\n\n| lines | patch | {} |\n|---|---|{}\n",
        ENGINES.join(" | "),
        "---|".repeat(ENGINES.len())
    );
    for size in SIZES {
        let group = criterion.join(format!("{size}_lines"));
        for (directory, patch) in PATCHES {
            let cells = ENGINES.map(|engine| cell(&group.join(engine).join(directory)));
            text += &format!("| {size} | {patch} | {} |\n", cells.join(" | "));
        }
        let count = if size == SIZES[0] { 50 } else { 100 };
        let many = cell(&group.join("tandem_many"));
        text += &format!("| {size} | {count} patches at once | {many} | — | — |\n");
    }
    text += "\n| made to be slow | tandem |\n|---|---|\n";
    let group = criterion.join("adversarial");
    let entries = fs::read_dir(&group).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    for name in names {
        if let Some(figure) = figure(&group.join(&name), start) {
            text += &format!("| {name} | {figure} |\n");
        }
    }
    text
}

/// Median and maximum of the samples in a folder, if they are newer than `start`.
fn figure(folder: &Path, start: SystemTime) -> Option<String> {
    let file = folder.join("new/sample.json");
    if fs::metadata(&file).ok()?.modified().ok()? < start {
        return None;
    }
    let sample: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let numbers = |field: &str| -> Option<Vec<f64>> {
        sample[field].as_array()?.iter().map(Value::as_f64).collect()
    };
    let times: Vec<_> = numbers("times")?
        .into_iter()
        .zip(numbers("iters")?)
        .map(|(nanoseconds, iterations)| nanoseconds / iterations)
        .collect();
    median_and_maximum(times)
}

fn median_and_maximum(mut nanoseconds: Vec<f64>) -> Option<String> {
    nanoseconds.sort_by(f64::total_cmp);
    let median = nanoseconds.get(nanoseconds.len() / 2)?;
    Some(format!("{} / {}", format_time(*median), format_time(*nanoseconds.last()?)))
}

/// Two or three digits with a unit.
fn format_time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let digits = if value < 10.0 { 1 } else { 0 };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn median_and_maximum_have_units() {
        assert_eq!(median_and_maximum(vec![3e6, 1e3, 2.5e9]).unwrap(), "3.0 ms / 2.5 s");
        assert_eq!(median_and_maximum(vec![123_456.0]).unwrap(), "123 µs / 123 µs");
        assert_eq!(median_and_maximum(Vec::new()), None);
    }

    #[test]
    fn only_new_samples_count() {
        let folder = std::env::temp_dir().join(format!("xtask-speed-{}", std::process::id()));
        let place = folder.join("100000_lines/tandem/exact/new");
        fs::create_dir_all(&place).unwrap();
        let sample = r#"{"iters": [2.0, 4.0, 1.0], "times": [2e6, 8e6, 3e6]}"#;
        fs::write(place.join("sample.json"), sample).unwrap();
        let line = "| 100000 | exact | 2.0 ms / 3.0 ms | — | — |";
        assert!(tables(&folder, SystemTime::UNIX_EPOCH).contains(line));
        let later = SystemTime::now() + Duration::from_secs(3600);
        assert!(!tables(&folder, later).contains("ms"));
        fs::remove_dir_all(folder).unwrap();
    }
}
