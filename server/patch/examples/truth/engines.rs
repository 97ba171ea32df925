//! The compared engines. Each takes a case and returns the patched text.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cases::Case;

/// The patched text; `None` if the engine refused.
pub(crate) type EngineOutput = Option<String>;

pub(crate) fn tandem(case: &Case) -> EngineOutput {
    let plan =
        patch::plan(&case.text, std::slice::from_ref(&case.patch), &patch::Options::default()).ok();
    let is_claim = |outcome: &patch::Outcome| outcome.kind == patch::OutcomeKind::AlreadyApplied;
    case.claimed.set(plan.as_ref().is_some_and(|plan| plan.outcomes.iter().any(is_claim)));
    plan.map(|plan| plan.apply(&case.text))
}

/// mpatch, in this process, in the format that carries most information.
pub(crate) fn mpatch(case: &Case) -> EngineOutput {
    let diff = format!(
        "a.txt\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n",
        with_final_newline(&case.patch.old_text),
        with_final_newline(&case.patch.new_text)
    );
    let diff = match case.patch.start_line {
        Some(_) => format!("--- a/a.txt\n+++ b/a.txt\n{}", hunk(case)),
        None => diff,
    };
    mpatch::patch_content_str(&diff, Some(&case.text), &mpatch::ApplyOptions::new()).ok()
}

fn with_final_newline(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// The change as a hunk of a unified diff, with the line the patch names, or none.
fn hunk(case: &Case) -> String {
    let (old, new) =
        (with_final_newline(&case.patch.old_text), with_final_newline(&case.patch.new_text));
    let diff = similar::TextDiff::from_lines(&old, &new);
    let body: String = diff
        .iter_all_changes()
        .map(|change| format!("{}{}", change.tag(), change.value()))
        .collect();
    let start = case.patch.start_line.unwrap_or(1);
    format!("@@ -{start},{} +{start},{} @@\n{body}", old.lines().count(), new.lines().count())
}

/// Whether the `patch` on the path is GNU's.
pub(crate) fn has_gnu_patch() -> bool {
    let output = Command::new("patch").arg("--version").output();
    output.is_ok_and(|output| output.stdout.starts_with(b"GNU patch"))
}

/// GNU patch with its usual fuzz.
pub(crate) fn gnu_patch(case: &Case, scratch: &Path) -> EngineOutput {
    let file = scratch.join("a.txt");
    std::fs::write(&file, &case.text).ok()?;
    let mut child = Command::new("patch")
        .args(["--binary", "-s", "-N", "-r", "-", "--no-backup-if-mismatch", "-p1"])
        .current_dir(scratch)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child
        .stdin
        .take()?
        .write_all(format!("--- a/a.txt\n+++ b/a.txt\n{}", hunk(case)).as_bytes())
        .ok()?;
    let done = child.wait().ok()?;
    done.success().then(|| std::fs::read_to_string(&file).ok()).flatten()
}

/// The `apply_patch` of codex, which goes by the name its program is started under.
pub(crate) fn codex(case: &Case, program: &OsStr, scratch: &Path) -> EngineOutput {
    let file = scratch.join("a.txt");
    std::fs::write(&file, &case.text).ok()?;
    let (old, new) =
        (with_final_newline(&case.patch.old_text), with_final_newline(&case.patch.new_text));
    let diff = similar::TextDiff::from_lines(&old, &new);
    let body: String = diff
        .iter_all_changes()
        .map(|change| format!("{}{}", change.tag(), change.value()))
        .collect();
    let envelope = format!("*** Begin Patch\n*** Update File: a.txt\n@@\n{body}*** End Patch");
    let done = Command::new(program)
        .arg0("apply_patch")
        .arg(envelope)
        .current_dir(scratch)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    done.success().then(|| std::fs::read_to_string(&file).ok()).flatten()
}

/// diff-match-patch and aider's edit blocks from these files, all cases in one Python process.
pub(crate) fn python(
    cases: &[Case],
    modules: &[Option<OsString>; 2],
    scratch: &Path,
) -> Option<Vec<[EngineOutput; 2]>> {
    let input: Vec<_> = cases
        .iter()
        .map(|case| {
            serde_json::json!([
                case.text,
                case.patch.old_text,
                case.patch.new_text,
                case.patch.start_line
            ])
        })
        .collect();
    let (from, to): (PathBuf, PathBuf) = (scratch.join("cases.json"), scratch.join("made.json"));
    std::fs::write(&from, serde_json::to_vec(&input).ok()?).ok()?;
    let done = Command::new("python3")
        .arg("-c")
        .arg(include_str!("peers.py"))
        .arg(&from)
        .arg(&to)
        .args(modules.iter().map(|module| module.as_deref().unwrap_or_default()))
        .status()
        .ok()?;
    if !done.success() {
        return None;
    }
    serde_json::from_slice(&std::fs::read(to).ok()?).ok()
}
