//! The languages' own checkers: a program that is run for each text, or one that reads paths.

use super::at;
use super::table::CheckerRow;
use crate::Failure;
use crate::setup::ComponentStatus;
use crate::workspace::Workspace;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An error that a checker reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// 1-based; 0 where it names none.
    pub(super) line: usize,
    pub(super) message: String,
    /// Whether an error is one of syntax. A compiler also refuses text that is grammatical.
    pub(super) is_syntax: bool,
}

pub(super) struct Checker {
    program: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    /// Parts of messages, one of which each error of syntax has; all errors are such if it is empty.
    syntax: Vec<String>,
    /// Folders with headers of the project, and the project.
    includes: Vec<PathBuf>,
    root: PathBuf,
    /// The folder of the file as it is in its project.
    folder: PathBuf,
    script: Option<Script>,
}

/// A running script that answers each line with a line.
struct Script {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Script {
    fn drop(&mut self) {
        // It ends with its input; what hangs is killed. Both fail only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Checker {
    /// Starts a checker of the table.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(super) fn start(
        row: &CheckerRow,
        workspace: &Workspace,
        components: &[ComponentStatus],
    ) -> Result<Self, Failure> {
        let mut environment: Vec<(String, String)> = Vec::new();
        for pair in &row.environment {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            environment.push((name.to_owned(), value.to_owned()));
        }
        let mut program = PathBuf::from(&row.program);
        if let Some(name) = &row.component {
            let part = components.iter().find(|part| part.name == *name);
            let installed = part.ok_or_else(|| format!("components.json: no `{name}`"))?;
            let installed = installed.program.clone()?;
            if row.script.is_none() {
                program = installed;
            } else {
                // The folder that scripts find their libraries in.
                let files = installed.ancestors().find(|folder| folder.ends_with("files"));
                let files = files.unwrap_or(&installed).to_string_lossy().into_owned();
                environment.push(("COMPONENT".to_owned(), files));
            }
        }
        let mut checker = Self {
            program,
            arguments: row.arguments.clone(),
            environment,
            syntax: row.syntax.clone(),
            includes: Vec::new(),
            root: PathBuf::new(),
            folder: PathBuf::new(),
            script: None,
        };
        match &row.script {
            Some(script) => {
                let path = workspace.root.join("server/xtask/checkers").join(script);
                let mut command = checker.command();
                command.arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
                let failed = |error| format!("{} could not be started: {error}", row.program);
                let mut child = command.spawn().map_err(failed)?;
                let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
                    return Err("a script has no pipes".to_owned());
                };
                checker.script = Some(Script { child, input, output: BufReader::new(output) });
            }
            None => {
                let probe = checker.command().arg("--version").output();
                probe.map_err(|error| format!("{} is not there: {error}", row.program))?;
            }
        }
        Ok(checker)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Which project and which file the next texts are of: where their headers are.
    pub(super) fn of_project(&mut self, root: &Path, file: &Path) {
        self.folder = file.parent().unwrap_or(root).to_owned();
        if self.root != root {
            root.clone_into(&mut self.root);
            let wanted = self.arguments.iter().any(|argument| argument == "{includes}");
            self.includes = if wanted { headers(root) } else { Vec::new() };
        }
    }

    /// What is against a text, which is put at `path` for it; nothing if it is right.
    ///
    /// # Errors
    /// A checker that ends or cannot be run.
    pub(super) fn check(&mut self, path: &Path, text: &str) -> Result<Option<Refusal>, Failure> {
        fs::write(path, text).map_err(|error| at(path, &error))?;
        let result = match &mut self.script {
            Some(script) => script.check(path),
            None => self.run(path),
        };
        let _ = fs::remove_file(path);
        result
    }

    fn run(&self, path: &Path) -> Result<Option<Refusal>, Failure> {
        let mut command = self.command();
        for argument in &self.arguments {
            match argument.as_str() {
                "{file}" => drop(command.arg(path)),
                "{includes}" => {
                    command.arg("-I").arg(&self.folder);
                    for folder in &self.includes {
                        command.arg("-I").arg(folder);
                    }
                }
                other => drop(command.arg(other)),
            }
        }
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{}: {error}", self.program.display()))?;
        if output.status.success() {
            return Ok(None);
        }
        let said = [output.stderr, output.stdout].concat();
        let said = String::from_utf8_lossy(&said);
        Ok(Some(refusal(&said, &path.to_string_lossy(), &self.syntax)))
    }
}

impl Script {
    fn check(&mut self, path: &Path) -> Result<Option<Refusal>, Failure> {
        let failed = |error: std::io::Error| format!("a checker ended: {error}");
        writeln!(self.input, "{}", path.display()).map_err(failed)?;
        let mut line = String::new();
        if self.output.read_line(&mut line).map_err(failed)? == 0 {
            return Err("a checker ended".to_owned());
        }
        Ok(match line.trim_end() {
            "ok" => None,
            said => {
                let (line, message) = said.split_once('\t').unwrap_or(("0", said));
                let line = line.parse().unwrap_or_default();
                Some(Refusal { line, message: message.to_owned(), is_syntax: true })
            }
        })
    }
}

/// The first line of an output that says that something is wrong in the file, with its number: the
/// first error of syntax, if there is one.
fn refusal(output: &str, path: &str, syntax: &[String]) -> Refusal {
    let mut lines = output.lines().filter(|line| !line.contains("warning"));
    let is_syntax = |line: &str| syntax.iter().any(|part| line.contains(part));
    // An error in a macro's definition is listed with the line of the header.
    let wrong = lines.clone().find(|line| line.contains("error") && is_syntax(line));
    let first = lines.clone().find(|line| line.contains("error") && line.contains(path));
    let first = wrong.or(first).or_else(|| lines.clone().find(|line| line.contains(path)));
    let line = first.or_else(|| lines.next()).unwrap_or_default();
    // `path:LINE`, `path(LINE`, `path on line LINE`.
    let text = if line.contains(path) { line } else { output };
    let number = text.split(path).skip(1).find_map(|rest| {
        let rest = rest.trim_start_matches([':', '(']).trim_start_matches(" on line ");
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse::<usize>().ok()
    });
    Refusal {
        line: number.unwrap_or_default(),
        message: line.replace(path, "").trim().to_owned(),
        is_syntax: syntax.is_empty() || wrong.is_some(),
    }
}

/// The folders that headers of a project are found from: those that hold some, and those above.
fn headers(root: &Path) -> Vec<PathBuf> {
    /// Deeper folders hold parts that are included by their paths.
    const DEPTH: usize = 3;
    let mut found = BTreeSet::new();
    let mut folders = vec![(root.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && depth < DEPTH {
                folders.push((path, depth + 1));
            } else if path.extension().is_some_and(|its| its == "h" || its == "hpp") {
                found.insert(folder.clone());
                found.extend(folder.parent().map(Path::to_owned));
            }
        }
    }
    found.into_iter().filter(|folder| folder.starts_with(root)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_taken_with_its_line() {
        for (output, line, message) in [
            ("In file included\n/t/a.c:7:3: error: expected ';'\n", 7, ":7:3: error: expected ';'"),
            ("/t/a.c:2:9: expected operand\n", 2, ":2:9: expected operand"),
            ("/t/a.c(12,3): error CS1002: ; expected\n", 12, "(12,3): error CS1002: ; expected"),
            ("PHP Parse error: x in /t/a.c on line 4\n", 4, "PHP Parse error: x in  on line 4"),
        ] {
            let refusal = refusal(output, "/t/a.c", &[]);
            assert_eq!((refusal.line, refusal.message.as_str()), (line, message));
            assert!(refusal.is_syntax);
        }
    }

    #[test]
    fn syntax_errors_are_distinguished_from_others() {
        let syntax = ["expected ".to_owned()];
        let types = "/t/a.c:2:1: error: conflicting types for 'f'\n";
        assert!(!refusal(types, "/t/a.c", &syntax).is_syntax);
        let both = format!("{types}/t/a.c:9:3: error: expected ';' before 'b'\n");
        let found = refusal(&both, "/t/a.c", &syntax);
        assert_eq!((found.is_syntax, found.line), (true, 9));
    }
}
