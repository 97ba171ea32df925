//! What a call wants checked, and the plan for it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tools::{Code, Context, ToolError};

use crate::choice::Choice;
use crate::findings::{Findings, Severity};
use crate::kinds::{Check, Kinds, Values};
use crate::project::Project;
use crate::run::Plan;

/// Limits of the timeout of a call, in milliseconds.
const MAX_TIMEOUT_MS: u64 = 3_600_000;

/// The timeout without a parameter, for the parameters of all checks.
pub(super) fn default_timeout_ms() -> u64 {
    600_000
}

/// What a call wants checked.
pub(super) struct Request<'p> {
    pub(super) tool: &'static str,
    pub(super) check: Check,
    pub(super) path: Option<&'p str>,
    pub(super) runner: Option<&'p str>,
    pub(super) network: bool,
    pub(super) timeout_ms: u64,
}

/// A project with the runner that checks it.
pub(super) struct Target<'k> {
    pub(super) project: Project<'k>,
    pub(super) choice: Choice<'k>,
    /// The values of the call's path.
    pub(super) values: Values,
    /// Whether the runner checks the whole project, whatever the path.
    pub(super) is_whole: bool,
}

impl<'p> Request<'p> {
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    /// The project and the runner.
    pub(super) fn target<'k>(&self, context: &'k Context<'_>) -> Result<Target<'k>, ToolError>
    where
        'p: 'k,
    {
        let Self { tool, check, path, runner, timeout_ms, .. } = self;
        if *timeout_ms == 0 || *timeout_ms > MAX_TIMEOUT_MS {
            let message = format!("{tool}: `timeout_ms` must be from 1 to {MAX_TIMEOUT_MS}");
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let kinds = context.session.family::<Kinds>();
        if let Some(problem) = kinds.problems.first() {
            let message = format!("{tool}: {}: {}", problem.file, problem.message);
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("correct or delete the file, then start the server again"));
        }
        let project = Project::find(context, tool, kinds, *check, *path, *runner)?;
        let choice = Choice::new(context, tool, &project, *check, *runner)?;
        let (mut values, is_whole) = path_values(&project, &choice);
        if path.is_none() {
            values.insert("workspace", Vec::new());
        }
        Ok(Target { project, choice, values, is_whole })
    }

    /// Makes the plan. `values` are added to the values that the path gives.
    pub(super) fn plan<'k>(
        &self,
        context: &Context<'_>,
        target: &Target<'k>,
        values: Values,
    ) -> Result<Plan<'k>, ToolError> {
        let mut all = target.values.clone();
        all.extend(values);
        Plan::new(context, self.tool, &target.project, &target.choice, &all, self.network)
    }
}

impl Target<'_> {
    /// Of what a check of the whole project found, keeps what is in the path of the call.
    pub(super) fn keep_path(&self, found: &mut Findings) {
        let Some(path) = self.project.path.as_ref().filter(|_| self.is_whole) else { return };
        let path = self.project.folder.absolute().join(path);
        let root = self.project.folder.root().path();
        let is_in = |file: &str| root.join(file).starts_with(&path);
        found.files.retain(|file| is_in(file));
        found.diagnostics.retain(|one| one.file.as_ref().is_none_or(|file| is_in(file)));
        let count = |severity| {
            found.diagnostics.iter().filter(|one| one.severity == severity).count() as u64
        };
        (found.errors, found.warnings) = (count(Severity::Error), count(Severity::Warning));
    }
}

impl Target<'_> {
    /// What the names of the tests in the call's path begin with; `None` if its runner does not run
    /// a test by its full name.
    pub(super) fn module(&self) -> Option<String> {
        if !self.choice.runner.names_whole {
            return None;
        }
        let path = Path::new(self.project.path.as_ref()?);
        let places = &self.choice.runner.places;
        let place = places.iter().find(|place| path.starts_with(&place.under))?;
        if !place.words.iter().any(|word| word == "{module}") {
            return Some(String::new());
        }
        let path = path.strip_prefix(&place.under).unwrap_or(path);
        // Each file or folder of `bin` is a crate.
        match path.strip_prefix("bin") {
            Ok(of_bin) if of_bin.components().count() > 1 => {
                Some(module(of_bin.components().skip(1).collect::<PathBuf>().as_path()))
            }
            Ok(_) => Some(String::new()),
            Err(_) => Some(module(path)),
        }
    }
}

/// The values of a path, and whether the runner leaves it aside.
fn path_values(project: &Project<'_>, choice: &Choice<'_>) -> (Values, bool) {
    let mut values = Values::new();
    let Some(path) = &project.path else {
        values.insert("whole", Vec::new());
        return (values, true);
    };
    let place = choice.runner.places.iter().find(|place| Path::new(path).starts_with(&place.under));
    let Some(place) = place else {
        if choice.runner.words.contains_key("path") {
            let is_folder = Path::new(path).extension().is_none();
            let slash = if is_folder && choice.runner.matches_parts { "/" } else { "" };
            values.insert("path", vec![format!("{path}{slash}")]);
            return (values, false);
        }
        values.insert("whole", Vec::new());
        return (values, true);
    };
    let into = ["path", "filter"].into_iter().find(|name| *name == place.into);
    let Some(into) = into else {
        values.insert("whole", Vec::new());
        return (values, true);
    };
    let file = Path::new(path);
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let folder = match file.extension() {
        Some(_) => file.parent().unwrap_or(Path::new("")),
        None => file,
    };
    let module = module(file.strip_prefix(&place.under).unwrap_or(file));
    if into == "filter" && module.is_empty() && stem != "main" {
        // The root of a crate: all of it.
        return (values, false);
    }
    let words = place.words.iter().map(|word| {
        word.replace("{stem}", &stem)
            .replace("{folder}", &folder.to_string_lossy())
            .replace("{module}", &module)
    });
    values.insert(into, words.collect());
    (values, false)
}

/// A source file's path as a module: `a/b.rs` is `a::b::`.
fn module(file: &Path) -> String {
    let path = file.with_extension("");
    let mut parts: Vec<String> =
        path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        parts.pop();
    }
    parts.into_iter().map(|part| part + "::").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_files_are_modules() {
        let of = |path: &str| module(Path::new(path));
        assert_eq!(of("a/b.rs"), "a::b::");
        assert_eq!(of("a/mod.rs"), "a::");
        assert_eq!(of("lib.rs"), "");
    }
}
