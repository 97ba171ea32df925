//! What the last checks of the workspace's projects found: linters, type checkers, builds.
//!
//! A diagnostic belongs to the text that the check saw. For another text of the same file,
//! [`CheckedFile::diagnostics_in`] moves it with its lines, and leaves it out once they have changed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use text::Text;

use crate::Severity;
use crate::uri::{normal_uri, path_of_uri};

/// Checks whose results are kept; the oldest are dropped.
const MAX_CHECKS: usize = 64;
/// Time limit for the comparison of two texts, line by line.
const COMPARE_TIME: Duration = Duration::from_millis(200);

/// A change that a tool suggests, all of it in the file of its diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFix {
    /// What it does.
    pub title: String,
    /// Whether the tool would make it without asking.
    pub is_preferred: bool,
    /// Bytes of the text, and what replaces them; sorted, without overlaps.
    pub edits: Vec<(Range<usize>, String)>,
}

/// Another place that a diagnostic refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckPlace {
    /// The file.
    pub uri: String,
    /// The text that the check saw.
    pub text: Text,
    /// Bytes of it.
    pub span: Range<usize>,
    /// What is there.
    pub message: String,
}

/// What a tool found at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckDiagnostic {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// How bad it is.
    pub severity: Severity,
    /// The tool's name: `clippy`, `ruff`.
    pub source: String,
    /// The tool's code for it.
    pub code: Option<String>,
    /// A page about that code.
    pub url: Option<String>,
    /// What is wrong.
    pub message: String,
    /// Whether the code there is not needed.
    pub is_unnecessary: bool,
    /// Other places that it refers to.
    pub related: Vec<CheckPlace>,
    /// What the tool suggests.
    pub fixes: Vec<CheckFix>,
}

/// What one check found in one file.
#[derive(Debug)]
pub struct CheckedFile {
    /// The file.
    pub uri: String,
    /// The text that the check saw.
    pub text: Text,
    /// What it found.
    pub diagnostics: Vec<CheckDiagnostic>,
}

/// A check that has ended.
#[derive(Debug)]
pub struct CheckResults {
    /// The project's folder.
    pub project: PathBuf,
    /// The kind of the project: one folder can be several.
    pub kind: String,
    /// The tool that made it: `lint`.
    pub tool: &'static str,
    /// Tools whose results it includes.
    pub covers: Vec<String>,
    /// The file or folder that was checked; `None` for the whole project.
    pub scope: Option<PathBuf>,
    /// When it began.
    pub started: Instant,
    /// The files with diagnostics.
    pub files: Vec<CheckedFile>,
}

/// The results of the last checks.
#[derive(Default)]
pub struct CheckDiagnostics {
    checks: Mutex<Vec<KeptCheck>>,
    reports: AtomicU64,
    listener: Mutex<Option<Listener>>,
}

type Listener = Arc<dyn Fn() + Send + Sync>;

/// The last results of one tool in one project.
struct KeptCheck {
    project: PathBuf,
    kind: String,
    tool: &'static str,
    covers: Vec<String>,
    /// When the last check of the whole project began.
    whole_since: Option<Instant>,
    files: BTreeMap<String, Arc<CheckedFile>>,
}

impl CheckDiagnostics {
    /// Takes the results of a check in place of the earlier ones for the same files.
    pub fn report(&self, results: CheckResults) {
        let CheckResults { project, kind, tool, covers, scope, started, files } = results;
        let mut checks = self.checks.lock();
        let files: BTreeMap<String, Arc<CheckedFile>> = files
            .into_iter()
            .map(|mut file| {
                file.uri = normal_uri(&file.uri);
                (file.uri.clone(), Arc::new(file))
            })
            .collect();
        // Projects may be inside one another: a member of a workspace was checked with all of it.
        let checked = scope.as_ref().unwrap_or(&project);
        let is_covered =
            |other: &str| other == tool || covers.iter().any(|covered| covered == other);
        for check in checks.iter_mut().filter(|c| c.kind == kind && is_covered(c.tool)) {
            check.files.retain(|uri, _| !is_below(uri, checked) && !files.contains_key(uri));
        }
        let own = checks
            .iter()
            .position(|check| check.project == project && check.kind == kind && check.tool == tool);
        let own = own.map(|own| checks.remove(own));
        let (mut kept, mut whole_since) =
            own.map_or((BTreeMap::new(), None), |own| (own.files, own.whole_since));
        kept.extend(files);
        if scope.is_none() {
            whole_since = Some(started);
        }
        checks.push(KeptCheck { project, kind, tool, covers, whole_since, files: kept });
        if checks.len() > MAX_CHECKS {
            checks.remove(0);
        }
        drop(checks);
        self.reports.fetch_add(1, Ordering::Relaxed);
        let listener = self.listener.lock().clone();
        if let Some(listener) = listener {
            listener();
        }
    }

    /// Number of reports so far.
    #[must_use]
    pub fn reports(&self) -> u64 {
        self.reports.load(Ordering::Relaxed)
    }

    /// Calls `listener` after each report, in place of an earlier listener. It must not wait.
    pub fn on_report(&self, listener: impl Fn() + Send + Sync + 'static) {
        *self.listener.lock() = Some(Arc::new(listener));
    }

    /// What the last checks found in a file.
    #[must_use]
    pub fn of(&self, uri: &str) -> Vec<Arc<CheckedFile>> {
        let uri = normal_uri(uri);
        self.checks.lock().iter().filter_map(|check| check.files.get(&uri)).cloned().collect()
    }

    /// The files with diagnostics, up to `most` of each check.
    #[must_use]
    pub fn uris(&self, most: usize) -> Vec<String> {
        let checks = self.checks.lock();
        let mut uris: Vec<String> =
            checks.iter().flat_map(|check| check.files.keys().take(most).cloned()).collect();
        uris.sort_unstable();
        uris.dedup();
        uris
    }

    /// Whether a whole project around `path` was checked by `tool`, or one that covers it, and that
    /// check began after `since`.
    #[must_use]
    pub fn has_checked(&self, path: &Path, tool: &str, since: Instant) -> bool {
        self.checks.lock().iter().any(|check| {
            path.starts_with(&check.project)
                && (check.tool == tool || check.covers.iter().any(|covered| covered == tool))
                && check.whole_since.is_some_and(|started| started >= since)
        })
    }
}

fn is_below(uri: &str, folder: &Path) -> bool {
    path_of_uri(uri).is_ok_and(|path| path.starts_with(folder))
}

impl CheckedFile {
    /// The diagnostics whose lines `text` still has, at their places in it.
    #[must_use]
    pub fn diagnostics_in(&self, text: &Text) -> Vec<CheckDiagnostic> {
        let Some(lines) = LineMap::new(&self.text, text) else { return self.diagnostics.clone() };
        let moved = |diagnostic: &CheckDiagnostic| {
            let span = lines.span(&diagnostic.span)?;
            let fixes = diagnostic.fixes.iter().filter_map(|fix| {
                let edits = fix.edits.iter();
                let edits = edits.map(|(span, new)| Some((lines.span(span)?, new.clone())));
                Some(CheckFix { edits: edits.collect::<Option<_>>()?, ..fix.clone() })
            });
            Some(CheckDiagnostic { span, fixes: fixes.collect(), ..diagnostic.clone() })
        };
        self.diagnostics.iter().filter_map(moved).collect()
    }
}

/// Where the lines of a text are in another.
struct LineMap<'t> {
    old: &'t Text,
    new: &'t Text,
    /// The lines between those that both texts begin and end with.
    old_lines: Range<usize>,
    new_lines: Range<usize>,
    /// The differences of these, sorted, counted from their first.
    parts: Vec<DiffOp>,
}

impl<'t> LineMap<'t> {
    /// `None` if the texts are equal.
    fn new(old: &'t Text, new: &'t Text) -> Option<Self> {
        let (old_span, new_span) = old.difference(new)?;
        let between =
            |text: &Text, span: Range<usize>| text.line_of(span.start)..text.line_of(span.end) + 1;
        let (old_lines, new_lines) = (between(old, old_span), between(new, new_span));
        let lines = |text: &Text, lines: &Range<usize>| -> Vec<String> {
            lines.clone().map(|line| text.slice(whole_line(text, line)).into_owned()).collect()
        };
        let deadline = Instant::now() + COMPARE_TIME;
        let parts = capture_diff_slices_deadline(
            Algorithm::Myers,
            &lines(old, &old_lines),
            &lines(new, &new_lines),
            Some(deadline),
        );
        Some(Self { old, new, old_lines, new_lines, parts })
    }

    /// The new number of a line; `None` if it has changed.
    fn line(&self, line: usize) -> Option<usize> {
        if line < self.old_lines.start {
            return Some(line);
        }
        if line >= self.old_lines.end {
            return Some(line - self.old_lines.end + self.new_lines.end);
        }
        let line = line - self.old_lines.start;
        let part = self.parts.partition_point(|part| part.old_range().end <= line);
        match self.parts.get(part)? {
            DiffOp::Equal { old_index, new_index, .. } => {
                Some(line - old_index + new_index + self.new_lines.start)
            }
            _ => None,
        }
    }

    /// The new place of a span; `None` if one of its lines has changed, or if there are others
    /// between them now.
    fn span(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let first = self.old.line_of(span.start);
        let mut last = self.old.line_of(span.end).max(first);
        if last > first && self.old.line_start(last) == span.end {
            last -= 1;
        }
        let moved = self.line(first)?;
        let is_whole = (first..=last).all(|line| self.line(line) == Some(moved + line - first));
        let start = self.new.line_start(moved) + (span.start - self.old.line_start(first));
        let end = start + span.len();
        (is_whole && end <= self.new.len()).then_some(start..end)
    }
}

/// A line with its ending.
fn whole_line(text: &Text, line: usize) -> Range<usize> {
    let end = if line + 1 < text.line_count() { text.line_start(line + 1) } else { text.len() };
    text.line_start(line)..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(text: &str, part: &str) -> CheckDiagnostic {
        let start = text.find(part).unwrap();
        let span = start..start + part.len();
        CheckDiagnostic {
            span: span.clone(),
            severity: Severity::Warning,
            source: "clippy".into(),
            code: None,
            url: None,
            message: part.to_owned(),
            is_unnecessary: false,
            related: Vec::new(),
            fixes: vec![CheckFix {
                title: "fix".into(),
                is_preferred: true,
                edits: vec![(span, String::new())],
            }],
        }
    }

    fn file(uri: &str, text: &str, parts: &[&str]) -> CheckedFile {
        let diagnostics = parts.iter().map(|part| diagnostic(text, part)).collect();
        CheckedFile { uri: uri.into(), text: Text::new(text), diagnostics }
    }

    fn results(tool: &'static str, scope: Option<&str>, files: Vec<CheckedFile>) -> CheckResults {
        CheckResults {
            project: "/w".into(),
            kind: "cargo".into(),
            tool,
            covers: if tool == "lint" { vec!["typecheck".into()] } else { Vec::new() },
            scope: scope.map(PathBuf::from),
            started: Instant::now(),
            files,
        }
    }

    #[test]
    fn diagnostics_move_with_their_lines_and_end_when_these_change() {
        let old = "fn a() {\n    b();\n    c(\n        d,\n    );\n}\n";
        let file = file("file:///w/a.rs", old, &["b()", "c(\n        d,\n    )"]);
        let in_text = |new: &str| {
            let moved = file.diagnostics_in(&Text::new(new)).into_iter();
            moved
                .map(|one| {
                    assert_eq!(one.fixes[0].edits[0].0, one.span);
                    assert_eq!(new[one.span], *one.message);
                    one.message
                })
                .collect::<Vec<_>>()
        };
        let (b, c) = ("b()", "c(\n        d,\n    )");
        assert_eq!(in_text(old), [b, c]);
        assert_eq!(in_text(&format!("// x\n\n{old}")), [b, c]);
        assert_eq!(in_text(&old.replace("c(\n", "x();\n    c(\n")), [b, c]);
        assert_eq!(in_text(&format!("// x\n{}", old.replace("b()", "b(1)"))), [c]);
        assert_eq!(in_text(&old.replace("d,", "d, e,")), [b]);
        // Another line inside it.
        assert_eq!(in_text(&old.replace("d,\n", "d,\n        e,\n")), [b]);
        assert_eq!(in_text(&old.replace("    b();\n", "")), [c]);
        assert!(in_text("").is_empty());
        assert!(in_text("fn a() {}\n").is_empty());
    }

    #[test]
    fn a_check_replaces_what_it_covers() {
        let store = CheckDiagnostics::default();
        let [a, b] = ["file:///w/a.rs", "file:///w/b/b.rs"];
        let count = |uri: &str| store.of(uri).iter().map(|file| file.diagnostics.len()).sum();
        let both = || vec![file(a, "x y", &["x", "y"]), file(b, "z", &["z"])];
        store.report(results("typecheck", None, both()));
        assert_eq!((count(a), count(b)), (2, 1));
        store.report(results("lint", None, vec![file(b, "z", &["z"])]));
        assert_eq!((count(a), count(b)), (0, 1));
        assert_eq!(store.uris(10), [b]);
        // Only a folder.
        store.report(results("lint", None, both()));
        store.report(results("lint", Some("/w/b"), Vec::new()));
        assert_eq!((count(a), count(b)), (2, 0));
        // A test covers nothing else.
        store.report(results("build", None, Vec::new()));
        assert_eq!((count(a), count(b)), (2, 0));
        // Of a project inside.
        store.report(results("lint", None, both()));
        let mut inside = results("lint", None, Vec::new());
        inside.project = "/w/b".into();
        store.report(inside);
        assert_eq!((count(a), count(b)), (2, 0));
        let mut elsewhere = results("lint", None, Vec::new());
        elsewhere.kind = "node".into();
        store.report(elsewhere);
        assert_eq!(count(a), 2);
        let path = Path::new("/w/a.rs");
        let begin = Instant::now();
        assert!(!store.has_checked(path, "typecheck", begin));
        store.report(results("lint", Some("/w/a.rs"), Vec::new()));
        assert!(!store.has_checked(path, "lint", begin));
        store.report(results("lint", None, Vec::new()));
        assert!(store.has_checked(path, "typecheck", begin));
        assert!(!store.has_checked(path, "build", begin));
        assert!(!store.has_checked(Path::new("/v"), "lint", begin));
    }

    #[test]
    fn a_listener_hears_of_each_report() {
        use std::sync::atomic::AtomicUsize;
        let store = CheckDiagnostics::default();
        let heard = Arc::new(AtomicUsize::new(0));
        let count = heard.clone();
        store.on_report(move || _ = count.fetch_add(1, Ordering::Relaxed));
        store.report(results("lint", None, Vec::new()));
        store.report(results("lint", None, Vec::new()));
        assert_eq!((heard.load(Ordering::Relaxed), store.reports()), (2, 2));
    }
}
