//! Real programs that `cargo xtask setup` brings, for the tests that drive them.

use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// What Rust's toolchain here has to show its types in lldb.
pub fn rust_formatters() -> Option<PathBuf> {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout).ok()?.trim());
    Some(sysroot.join("lib/rustlib/etc/lldb_lookup.py")).filter(|file| file.is_file())
}

/// The program of a component: the one that its variable names, else the one in the cache.
pub fn component(name: &str) -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let table: Value =
        serde_json::from_str(include_str!("../../server/xtask/components.json")).ok()?;
    let row = table.as_array()?.iter().find(|row| row["name"] == name)?;
    if let Some(own) = variable(row["variable"].as_str()?) {
        return Some(own);
    }
    let cache = variable("TANDEM_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("tandem-dev")))
        .or_else(|| Some(variable("HOME")?.join(".cache/tandem-dev")))?;
    let folder = format!("{name}-{}", row["version"].as_str()?);
    let program = cache.join("components").join(folder).join("files");
    Some(program.join(row["program"].as_str()?)).filter(|program| program.is_file())
}

/// Says that a test is left out, past the test runner, which hides what a passing test prints.
///
/// # Panics
/// In CI, which leaves nothing out.
pub fn skip(test: &str, name: &str) {
    let reason = format!("{name} is not here: `cargo xtask setup` brings it");
    let in_ci = env::var_os("CI").is_some_and(|value| value == "true" || value == "1");
    assert!(!in_ci, "{reason}; CI skips nothing");
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
}
