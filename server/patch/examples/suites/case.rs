//! A case of a suite: files, a call of `apply_edit`, and the expected result. Runs it and compares.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

/// Files by their paths.
pub(crate) type Files = BTreeMap<String, String>;

/// What a suite expects of a case.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expected {
    /// The call succeeds, with any text.
    Success,
    /// These files have these texts; `None` means that the file is deleted.
    Files(BTreeMap<String, Option<String>>),
    /// The target file contains these texts.
    Contains(Vec<String>),
    Refusal,
}

/// A call that a suite makes, as a call of `apply_edit`.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) files: Files,
    pub(crate) parameters: Json,
    /// The file whose text the call returns.
    pub(crate) target: String,
    /// `None` until an assertion is found; cases without one are not counted.
    pub(crate) expected: Option<Expected>,
}

/// Our result compared with the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Same,
    /// Refused here where the peer applies.
    Refused,
    /// Applied here where the peer refuses.
    Applied,
    /// Both apply, to another text.
    Different,
}

/// The result of a case.
pub(crate) struct CaseResult {
    pub(crate) verdict: Verdict,
    /// The files afterwards, or the error.
    pub(crate) answer: Result<Files, String>,
}

/// Runs the case by `tandem call` in a folder of its own.
pub(crate) fn run_case(case: &Case, tandem: &Path, folder: &Path) -> io::Result<CaseResult> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    for (path, text) in &case.files {
        let path = path_inside(folder, path)?;
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)?;
    }
    let mut call = Command::new(tandem)
        .args(["call", "apply_edit", "--yes", "--headless", "--workspace"])
        .arg(folder)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = call.stdin.take() {
        stdin.write_all(case.parameters.to_string().as_bytes())?;
    }
    let output = call.wait_with_output()?;
    let stdout_text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer = match output.status.code() {
        Some(0) => Ok(read_files(folder)?),
        Some(1) => {
            let error: Json = serde_json::from_str(&stdout_text).unwrap_or_default();
            let part = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
            Err(format!("{} {} {}", part("code"), part("message"), part("hint")))
        }
        _ => {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(io::Error::other(format!("{}: {stdout_text}{error}", case.name)));
        }
    };
    Ok(CaseResult { verdict: verdict(case, answer.as_ref().ok()), answer })
}

fn verdict(case: &Case, after: Option<&Files>) -> Verdict {
    let changed = after.is_some_and(|after| *after != case.files);
    match case.expected.as_ref() {
        Some(Expected::Refusal) | None => match changed {
            true => Verdict::Applied,
            false => Verdict::Same,
        },
        Some(Expected::Success) => match after {
            Some(_) => Verdict::Same,
            None => Verdict::Refused,
        },
        Some(Expected::Contains(parts)) => match after {
            None => Verdict::Refused,
            Some(after) => {
                let text = after.get(&case.target).map_or("", String::as_str);
                match parts.iter().all(|part| text.contains(part.as_str())) {
                    true => Verdict::Same,
                    false => Verdict::Different,
                }
            }
        },
        Some(Expected::Files(files)) => {
            let is_there =
                |after: &Files| files.iter().all(|(path, text)| after.get(path) == text.as_ref());
            let no_change = files.iter().all(|(path, text)| case.files.get(path) == text.as_ref());
            match (after, no_change) {
                (Some(after), _) if is_there(after) => Verdict::Same,
                (None, true) => Verdict::Same,
                (None, false) => Verdict::Refused,
                (Some(_), true) => Verdict::Applied,
                (Some(_), false) => Verdict::Different,
            }
        }
    }
}

/// The path of a case's file. Fails if it is outside of the folder.
fn path_inside(folder: &Path, path: &str) -> io::Result<PathBuf> {
    let relative = Path::new(path);
    match relative.components().all(|part| matches!(part, std::path::Component::Normal(_))) {
        true => Ok(folder.join(relative)),
        false => Err(io::Error::other(format!("the path {path:?} leads out"))),
    }
}

/// All files of a folder.
pub(crate) fn read_files(folder: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name =
                    path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
                files.insert(name, String::from_utf8_lossy(&fs::read(&path)?).into_owned());
            }
        }
    }
    Ok(files)
}
