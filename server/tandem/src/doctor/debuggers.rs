//! Reports the installed debug adapters.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use debug::{Adapter, Adapters, TemplateValues, ToolLookup, ToolSearch};

use super::{Finding, FindingState};

/// How long an adapter may take to print its version, and how often to check.
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Most bytes read of a version.
const MAX_VERSION_BYTES: u64 = 4 << 10;

/// One line per adapter of the table, searched from the current folder.
pub(super) fn all() -> Vec<Finding> {
    let here = std::env::current_dir().ok();
    let search = ToolSearch::new(here.clone());
    Adapters::builtin()
        .iter()
        .map(|adapter| check_adapter(adapter, &search, here.as_deref()))
        .collect()
}

fn check_adapter(adapter: &Adapter, search: &ToolSearch, here: Option<&Path>) -> Finding {
    let what = format!("debugger {}", adapter.name);
    let (mut found, mut problems) = (BTreeMap::new(), Vec::new());
    for (name, tool) in &adapter.tools {
        match search.find(tool) {
            ToolLookup::Found(path) => drop(found.insert(name.as_str(), path)),
            _ if tool.optional => {}
            ToolLookup::Unusable(path, why) => problems.push(format!("{}: {why}", path.display())),
            ToolLookup::NotFound if name == "adapter" => problems.push("not found".to_owned()),
            ToolLookup::NotFound => problems.push(format!("no {name}")),
        }
    }
    let place = found.get("adapter").map(|path| path.display().to_string());
    match place.filter(|_| problems.is_empty()) {
        Some(place) => {
            let version = version(adapter, &found, here);
            let is_old = version.as_deref().zip(adapter.oldest.as_deref());
            if let Some((version, oldest)) = is_old.filter(|(own, least)| is_older(own, least)) {
                let detail = format!(
                    "{place} ({version}) is older than {oldest}; to install: {}",
                    adapter.install
                );
                return Finding { what, state: FindingState::Missing, detail };
            }
            let version = version.map_or_else(String::new, |version| format!(" ({version})"));
            let languages = adapter.languages.join(", ");
            Finding {
                what,
                state: FindingState::Ok,
                detail: format!("{place}{version}, for {languages}"),
            }
        }
        None => {
            let detail = format!("{}; to install: {}", problems.join("; "), adapter.install);
            Finding { what, state: FindingState::Missing, detail }
        }
    }
}

/// The version that an adapter prints. An adapter in the current folder is not run: checking a project
/// must not execute anything in it.
fn version(
    adapter: &Adapter,
    found: &BTreeMap<&str, PathBuf>,
    here: Option<&Path>,
) -> Option<String> {
    if found.values().any(|path| here.is_none_or(|here| path.starts_with(here))) {
        return None;
    }
    let named = ["adapter", "python"].into_iter().filter_map(|name| {
        let path = found.get(name)?.to_string_lossy().into_owned();
        Some((name, path.into()))
    });
    let words = adapter.version(&named.collect::<TemplateValues>());
    let (program, arguments) = words.split_first()?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let started = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if started.elapsed() > VERSION_TIMEOUT {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    let mut output = Vec::new();
    child.stdout.take()?.take(MAX_VERSION_BYTES).read_to_end(&mut output).ok()?;
    let output = String::from_utf8_lossy(&output).into_owned();
    // The first line with a digit.
    let numbered = |line: &&str| line.chars().any(|c| c.is_ascii_digit());
    output.lines().map(str::trim).find(numbered).map(|line| line.chars().take(100).collect())
}

/// Whether the first version number in `version` is lower than `oldest`.
fn is_older(version: &str, oldest: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        let text = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        text[..end].split('.').map_while(|part| part.parse().ok()).collect()
    };
    numbers(version) < numbers(oldest)
}

#[cfg(test)]
mod tests {
    use super::is_older;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (detail, oldest) in [
            ("bash-dap 0.2", "0.3"),
            ("GNU gdb (Debian) 9.2", "14"),
            ("v1.9.0-x", "1.10"),
            ("none", "1"),
        ] {
            assert!(is_older(detail, oldest), "{detail}");
        }
        for (detail, oldest) in [
            ("bash-dap 0.3", "0.3"),
            ("bash-dap 0.3.1", "0.3"),
            ("GNU gdb (Debian 16.3-1) 16.3", "14"),
            ("Version: 1.24.0", "1.24"),
        ] {
            assert!(!is_older(detail, oldest), "{detail}");
        }
    }
}
