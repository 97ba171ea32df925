//! Counts the project's languages and chooses an example file.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use syntax::{Language, Syntax};
use text::Text;
use workspace::{Root, Workspace, source_files, uri_of_path};

use super::screen::Screen;

/// The project's source files.
pub(super) struct Survey {
    pub(super) files: Vec<File>,
    root_uri: String,
    languages: Vec<(Language, Size)>,
    /// The time limit was reached before all files were counted.
    is_partial: bool,
}

/// A source file.
pub(super) struct File {
    pub(super) shown: String,
    pub(super) uri: String,
    pub(super) language: Language,
    pub(super) text: Text,
}

#[derive(Default, Clone, Copy)]
struct Size {
    files: usize,
    lines: usize,
}

/// Time limit for counting.
const COUNT_TIME_LIMIT: Duration = Duration::from_secs(5);
/// Files whose text is kept for the tour.
const MAX_FILES: usize = 400;
/// Longest file that makes a readable example, in lines.
const MAX_EXAMPLE_LINES: usize = 600;
/// The ideal length of an example, in lines.
const IDEAL_EXAMPLE_LINES: usize = 200;
/// Declarations that fill an outline.
const ENOUGH_DECLARATIONS: usize = 12;

impl Survey {
    pub(super) fn new(root: Root) -> Self {
        let root_uri = uri_of_path(root.path());
        let workspace = Workspace::new(vec![root]);
        let snapshot = workspace.snapshot();
        let started = Instant::now();
        let interrupt = AtomicBool::new(false);
        let mut sizes: BTreeMap<&str, (Language, Size)> = BTreeMap::new();
        let mut survey =
            Self { files: Vec::new(), root_uri, languages: Vec::new(), is_partial: false };
        let found: Vec<_> = snapshot
            .roots()
            .iter()
            .flat_map(|root: &Arc<Root>| source_files(root, &interrupt))
            .collect();
        for (path, language) in found {
            let (_, size) = sizes.entry(language.id()).or_insert((language, Size::default()));
            size.files += 1;
            if started.elapsed() > COUNT_TIME_LIMIT {
                survey.is_partial = true;
                continue;
            }
            let Ok(file) = snapshot.read(&path) else { continue };
            size.lines += file.text.line_count();
            // Skip files that are too long for an example, or empty.
            let good = file.text.line_count() <= MAX_EXAMPLE_LINES;
            if survey.files.len() < MAX_FILES
                && (good || survey.files.is_empty())
                && !is_blank(&file.text)
            {
                survey.files.push(File {
                    shown: path.display_path(),
                    uri: uri_of_path(&path.absolute()),
                    language,
                    text: file.text,
                });
            }
        }
        survey.languages = sizes.into_values().collect();
        survey.languages.sort_by_key(|(_, size)| Reverse(size.lines));
        survey
    }

    pub(super) fn show(&self, screen: &mut Screen) {
        let lines: usize = self.languages.iter().map(|(_, size)| size.lines).sum();
        let files: usize = self.languages.iter().map(|(_, size)| size.files).sum();
        screen.section("Languages");
        #[allow(clippy::cast_precision_loss)]
        for (language, size) in &self.languages {
            let rest = format!("{} lines in {} files", thousands(size.lines), size.files);
            screen.share(language.name(), size.lines as f64 / lines.max(1) as f64, &rest);
        }
        let least = if self.is_partial { "at least " } else { "" };
        screen.dim(&format!("{least}{} lines in {files} files", thousands(lines)));
    }

    /// A URI as a path relative to the root.
    pub(super) fn relative_path<'a>(&self, uri: &'a str) -> &'a str {
        uri.strip_prefix(&self.root_uri).map_or(uri, |path| path.trim_start_matches('/'))
    }

    /// The best example of the main language: no test, enough declarations for an outline, and a readable
    /// length. Files with declarations rank above those without.
    pub(super) fn sample(&self) -> &File {
        let main = self.languages.first().map(|(language, _)| *language);
        let rank = |f: &&File| {
            let declared = declarations(f).min(ENOUGH_DECLARATIONS);
            let lines = f.text.line_count();
            let shows = (declared > 0, !is_test(&f.shown), declared >= 4);
            (shows, Reverse(lines.abs_diff(IDEAL_EXAMPLE_LINES)), declared)
        };
        let of_main = self.files.iter().filter(|f| Some(f.language) == main);
        of_main.max_by_key(rank).unwrap_or(&self.files[0])
    }
}

fn declarations(file: &File) -> usize {
    let interrupt = AtomicBool::new(false);
    let syntax = Syntax::parse(file.language, &file.text, None, &interrupt);
    syntax.and_then(|syntax| syntax.outline(&interrupt)).map_or(0, |outline| outline.items.len())
}

fn is_blank(text: &Text) -> bool {
    text.slice(0..text.len()).trim().is_empty()
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| part.contains("test") || part == "examples" || part == "benches")
}

/// 1234567 as `1,234,567`.
fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_separated() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(super::thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
