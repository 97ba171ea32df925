//! Languages and sizes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use syntax::{Language, Syntax};
use text::Text;
use workspace::{Root, Workspace, source_files, uri_of_path};

use super::screen::Screen;

/// What the project consists of.
pub(super) struct Survey {
    pub(super) files: Vec<File>,
    root_uri: String,
    languages: Vec<(Language, Size)>,
    /// Time ran out before every file was counted.
    partly: bool,
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

/// How long files are counted.
const PATIENCE: Duration = Duration::from_secs(5);
/// Files whose text is kept, for the rest of the tour.
const KEPT: usize = 400;
/// What reads well as an example, in lines.
const GOOD_LENGTH: std::ops::Range<usize> = 40..600;

impl Survey {
    pub(super) fn of(root: Root) -> Self {
        let root_uri = uri_of_path(root.path());
        let workspace = Workspace::new(vec![root]);
        let snapshot = workspace.snapshot();
        let started = Instant::now();
        let interrupt = AtomicBool::new(false);
        let mut sizes: BTreeMap<&str, (Language, Size)> = BTreeMap::new();
        let mut survey = Self { files: Vec::new(), root_uri, languages: Vec::new(), partly: false };
        let found: Vec<_> = snapshot
            .roots()
            .iter()
            .flat_map(|root: &Arc<Root>| source_files(root, &interrupt))
            .collect();
        for (path, language) in found {
            let (_, size) = sizes.entry(language.id()).or_insert((language, Size::default()));
            size.files += 1;
            if started.elapsed() > PATIENCE {
                survey.partly = true;
                continue;
            }
            let Ok(file) = snapshot.read(&path) else { continue };
            size.lines += file.text.line_count();
            let good = GOOD_LENGTH.contains(&file.text.line_count());
            if survey.files.len() < KEPT && (good || survey.files.is_empty()) {
                survey.files.push(File {
                    shown: path.shown(),
                    uri: uri_of_path(&path.absolute()),
                    language,
                    text: file.text,
                });
            }
        }
        survey.languages = sizes.into_values().collect();
        survey.languages.sort_by_key(|(_, size)| std::cmp::Reverse(size.lines));
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
        let least = if self.partly { "at least " } else { "" };
        screen.dim(&format!("{least}{} lines in {files} files", thousands(lines)));
    }

    /// A URI as a path below the root, for a person.
    pub(super) fn shown<'a>(&self, uri: &'a str) -> &'a str {
        uri.strip_prefix(&self.root_uri).map_or(uri, |path| path.trim_start_matches('/'))
    }

    /// A file of the main language that reads well: in the middle by length.
    pub(super) fn sample(&self) -> &File {
        let main = self.languages.first().map(|(language, _)| *language);
        let mut of_main: Vec<&File> =
            self.files.iter().filter(|f| Some(f.language) == main).collect();
        // Data tables read badly: a good example declares things along its whole length.
        let is_table = |f: &File| declarations(f) < 4;
        of_main.sort_by_cached_key(|f| {
            (is_test(&f.shown), is_table(f), f.text.line_count().abs_diff(200))
        });
        of_main.first().copied().unwrap_or(&self.files[0])
    }
}

fn declarations(file: &File) -> usize {
    let interrupt = AtomicBool::new(false);
    let syntax = Syntax::parse(file.language, &file.text, None, &interrupt);
    syntax.and_then(|syntax| syntax.outline(&interrupt)).map_or(0, |outline| outline.items.len())
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
    fn thousands_are_set_apart() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(super::thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
