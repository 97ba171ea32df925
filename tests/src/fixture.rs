//! Workspaces in one string.
//!
//! ```text
//! //- /src/main.rs          starts a file; text before the first belongs to none
//! fn main() { gre$0et() }   $0 is the cursor, taken out of the text
//! //- /src/lib.rs
//! fn greet() {}
//! // ^^^^^ definition       marks the columns above it; the whole line is taken out
//! ```
//!
//! A marking line holds an optional comment sign (`//` or `#`), carets and a label, alone.

/// A workspace, its cursor, and what a test expects where.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    /// The files in the order they were written.
    pub files: Vec<File>,
    /// Where `$0` stood: the file's path and the byte offset in its text.
    pub cursor: Option<(String, usize)>,
    /// What carets mark.
    pub marks: Vec<Mark>,
}

/// A file of a fixture.
#[derive(Clone, Debug)]
pub struct File {
    /// The path from the root, without a leading slash.
    pub path: String,
    /// The text, without cursor and marks.
    pub text: String,
}

/// A marked piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The file's path.
    pub path: String,
    /// The first marked byte.
    pub start: usize,
    /// The byte after the last marked one.
    pub end: usize,
    /// What stands after the carets.
    pub label: String,
}

impl Fixture {
    /// Reads a fixture.
    ///
    /// # Panics
    /// On two cursors, or a mark with nothing above it.
    pub fn parse(source: &str) -> Self {
        let mut fixture = Self::default();
        for line in source.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix("//- /") {
                let path = path.trim_end().to_owned();
                fixture.files.push(File { path, text: String::new() });
                continue;
            }
            let Some(file) = fixture.files.last_mut() else {
                assert!(line.trim().is_empty(), "a fixture starts with //- /path, not {line:?}");
                continue;
            };
            if let Some((columns, label)) = mark(line) {
                let (start, end) = columns_above(&file.text, columns);
                let path = file.path.clone();
                fixture.marks.push(Mark { path, start, end, label });
                continue;
            }
            match line.find("$0") {
                None => file.text.push_str(line),
                Some(at) => {
                    let offset = file.text.len() + at;
                    let before = fixture.cursor.replace((file.path.clone(), offset));
                    assert_eq!(before, None, "a fixture has one cursor");
                    file.text.push_str(&line[..at]);
                    file.text.push_str(&line[at + 2..]);
                }
            }
        }
        fixture
    }

    /// The text of a file.
    ///
    /// # Panics
    /// When the fixture has no such file.
    pub fn text(&self, path: &str) -> &str {
        match self.files.iter().find(|file| file.path == path) {
            Some(file) => &file.text,
            None => panic!("the fixture has no {path}"),
        }
    }

    /// The marks with this label, or with this label and `: more`.
    pub fn marked<'a>(&'a self, label: &'a str) -> impl Iterator<Item = &'a Mark> {
        self.marks.iter().filter(move |mark| {
            mark.label
                .strip_prefix(label)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
    }
}

/// The columns and the label of a marking line.
fn mark(line: &str) -> Option<((usize, usize), String)> {
    let line = line.trim_end();
    let carets = line.find('^')?;
    if !matches!(line[..carets].trim(), "" | "//" | "#") {
        return None;
    }
    let rest = line[carets..].trim_start_matches('^');
    let end = line.len() - rest.len();
    let label = rest.strip_prefix(' ')?.trim();
    (!label.is_empty()).then(|| ((carets, end), label.to_owned()))
}

/// The byte offsets of columns, counted in characters, in the last line of `text`.
fn columns_above(text: &str, (start, end): (usize, usize)) -> (usize, usize) {
    let line = text.strip_suffix('\n').unwrap_or(text);
    let line_start = line.rfind('\n').map_or(0, |at| at + 1);
    let line = &line[line_start..];
    let offsets: Vec<_> = line.char_indices().map(|(at, _)| at).chain([line.len()]).collect();
    assert!(end < offsets.len(), "the carets at {start}..{end} mark nothing in {line:?}");
    (line_start + offsets[start], line_start + offsets[end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_files_cursor_and_marks() {
        let fixture = Fixture::parse(
            "
//- /a.rs
fn \u{e9}a() {}
// ^^ definition
// a comment
//- /sub/b.py
x = a$0a
#   ^^ error: odd
",
        );
        assert_eq!(fixture.text("a.rs"), "fn \u{e9}a() {}\n// a comment\n");
        assert_eq!(fixture.text("sub/b.py"), "x = aa\n");
        assert_eq!(fixture.cursor, Some(("sub/b.py".to_owned(), 5)));
        let marked = |label: &str| {
            let marks = fixture.marked(label);
            marks.map(|mark| &fixture.text(&mark.path)[mark.start..mark.end]).collect::<Vec<_>>()
        };
        assert_eq!(marked("definition"), ["\u{e9}a"]);
        assert_eq!(marked("error"), ["aa"]);
        assert_eq!(marked("odd"), [""; 0]);
    }
}
