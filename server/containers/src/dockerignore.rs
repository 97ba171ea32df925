//! `.dockerignore`: which files of a context are not sent, by the rules of Docker's own matcher.

use std::path::Path;

use regex::Regex;

use crate::limits::IGNORE_PATTERNS;

/// The patterns of a `.dockerignore`.
#[derive(Default)]
pub(crate) struct IgnorePatterns {
    patterns: Vec<Pattern>,
}

struct Pattern {
    regex: Regex,
    /// Whether it begins with `!`.
    includes: bool,
}

impl IgnorePatterns {
    /// # Errors
    /// Says which pattern is wrong.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut patterns = Vec::new();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.starts_with('#') {
                continue;
            }
            let (includes, written) = match line.trim().strip_prefix('!') {
                Some(rest) => (true, rest.trim()),
                None => (false, line.trim()),
            };
            let cleaned = clean(written);
            if cleaned.is_empty() {
                continue;
            }
            if patterns.len() >= IGNORE_PATTERNS {
                return Err(format!("it has more than {IGNORE_PATTERNS} patterns"));
            }
            let regex = Regex::new(&regex(&cleaned))
                .map_err(|_| format!("line {}: `{written:.100}` is no pattern", index + 1))?;
            patterns.push(Pattern { regex, includes });
        }
        Ok(Self { patterns })
    }

    /// Whether a path below the context, with `/` between its names, is left out. The last pattern that matches it or
    /// a folder that it is in decides.
    pub(crate) fn excludes(&self, path: &str) -> bool {
        let mut excluded = false;
        for pattern in &self.patterns {
            // A pattern that would change nothing need not be tried.
            if pattern.includes != excluded {
                continue;
            }
            let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
            if folders.chain([path]).any(|part| pattern.regex.is_match(part)) {
                excluded = !pattern.includes;
            }
        }
        excluded
    }

    /// Whether nothing below a folder that is left out can be included again.
    pub(crate) fn is_final(&self) -> bool {
        !self.patterns.iter().any(|pattern| pattern.includes)
    }
}

/// A pattern without `.`, `..` and slashes at its ends.
fn clean(written: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in Path::new(written).to_str().unwrap_or_default().split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names.join("/")
}

/// A pattern as a regular expression for whole paths.
fn regex(pattern: &str) -> String {
    let mut regex = String::from("^");
    let mut characters = pattern.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '*' if characters.peek() == Some(&'*') => {
                characters.next();
                if characters.peek() == Some(&'/') {
                    characters.next();
                }
                // At the end it matches everything below, elsewhere any number of folders.
                regex.push_str(if characters.peek().is_none() { ".*" } else { "(.*/)?" });
            }
            '*' => regex.push_str("[^/]*"),
            '?' => regex.push_str("[^/]"),
            '[' => regex.push('['),
            ']' => regex.push(']'),
            '^' | '-' => regex.push(c),
            '\\' => regex.push_str(&regex::escape(&characters.next().unwrap_or('\\').to_string())),
            c => regex.push_str(&regex::escape(&c.to_string())),
        }
    }
    regex.push('$');
    regex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_docker_does() {
        for (patterns, path, expected) in [
            ("target", "target/debug/x", true),
            ("target", "src/target", false),
            ("/target/", "target/x", true),
            ("**/target", "a/b/target/x", true),
            ("**/target", "target", true),
            ("*.log", "a.log", true),
            ("*.log", "a/b.log", false),
            ("**/*.log", "a/b.log", true),
            ("**", "anything/at/all", true),
            ("a/**", "a/b/c", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("[ab].txt", "b.txt", true),
            ("[^ab].txt", "b.txt", false),
            ("*\n!README.md", "README.md", false),
            ("*\n!README.md", "src/x", true),
            ("docs\n!docs/keep\ndocs/keep/not", "docs/keep/a", false),
            ("docs\n!docs/keep\ndocs/keep/not", "docs/keep/not", true),
            ("# a comment\n\n.git", ".git/config", true),
            ("./x/../y", "y", true),
            ("a.b", "axb", false),
            ("\\!odd", "!odd", true),
        ] {
            let parsed = IgnorePatterns::parse(patterns).unwrap();
            assert_eq!(parsed.excludes(path), expected, "{patterns:?} on {path}");
        }
    }

    #[test]
    fn odd_files_are_refused_and_never_slow() {
        assert!(IgnorePatterns::parse("[").is_err());
        assert!(IgnorePatterns::parse(&"a\n".repeat(IGNORE_PATTERNS + 1)).is_err());
        let slow = IgnorePatterns::parse(&format!("{}b", "*a".repeat(500))).unwrap();
        let start = std::time::Instant::now();
        assert!(!slow.excludes(&"a".repeat(5_000)));
        assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
    }
}
