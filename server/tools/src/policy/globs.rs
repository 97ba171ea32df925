//! Path patterns in rules.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Compiled path patterns. A pattern without `/` matches a name anywhere below a root, one with `/`
/// a path relative to a root, one that begins with `/` or `~/` an absolute path. A matching folder
/// includes everything below it.
#[derive(Debug, Clone, Default)]
pub(super) struct PathPatterns {
    relative: GlobSet,
    absolute: GlobSet,
    /// For each glob of a set, the index of its pattern: a pattern compiles to two globs.
    relative_indices: Vec<usize>,
    absolute_indices: Vec<usize>,
    patterns: Vec<String>,
}

impl PathPatterns {
    /// # Errors
    /// Names the invalid pattern, and why it is invalid.
    pub(super) fn new(patterns: &[String], ignores_case: bool) -> Result<Self, String> {
        let mut paths = Self { patterns: patterns.to_vec(), ..Self::default() };
        let (mut relative, mut absolute) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for (index, pattern) in patterns.iter().enumerate() {
            let wrong = |why: &str| Err(format!("`{pattern:.200}` is no path pattern: {why}"));
            if pattern.is_empty() || pattern.contains('\0') || pattern.len() > 1_000 {
                return wrong("it is empty, too long, or holds a NUL");
            }
            if pattern.split('/').any(|name| name == "..") {
                return wrong("`..` never occurs in a path that is looked at");
            }
            let home = pattern.strip_prefix("~/").and_then(|rest| {
                let home = PathBuf::from(std::env::var_os("HOME")?);
                Some(format!("{}/{rest}", globset::escape(home.to_str()?)))
            });
            let (mut pattern, set, of) = match home {
                Some(pattern) => (pattern, &mut absolute, &mut paths.absolute_indices),
                None if pattern.starts_with('/') => {
                    (pattern.clone(), &mut absolute, &mut paths.absolute_indices)
                }
                None => {
                    let pattern = pattern.trim_start_matches("./").to_owned();
                    (pattern, &mut relative, &mut paths.relative_indices)
                }
            };
            while pattern.len() > 1 && pattern.ends_with('/') {
                pattern.pop();
            }
            if !pattern.contains('/') {
                pattern.insert_str(0, "**/");
            }
            let below = if pattern.ends_with("**") { None } else { Some(format!("{pattern}/**")) };
            for glob in [Some(pattern.clone()), below].into_iter().flatten() {
                let built = GlobBuilder::new(&glob)
                    .literal_separator(true)
                    .case_insensitive(ignores_case)
                    .backslash_escape(true)
                    .build();
                match built {
                    Ok(glob) => set.add(glob),
                    Err(error) => return wrong(&error.kind().to_string()),
                };
                of.push(index);
            }
        }
        let describe = |error: globset::Error| format!("the path patterns: {error}");
        paths.relative = relative.build().map_err(describe)?;
        paths.absolute = absolute.build().map_err(describe)?;
        Ok(paths)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The patterns as written.
    pub(super) fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// The first pattern that matches `path`; `below` is its path relative to a root, if it is in
    /// one.
    pub(super) fn first_match(&self, path: &Path, below: Option<&Path>) -> Option<&str> {
        if self.is_empty() {
            return None;
        }
        let first = |set: &GlobSet, of: &[usize], path: &Path| {
            if set.is_empty() || !set.is_match(path) {
                return None;
            }
            set.matches(path).first().map(|glob| of[*glob])
        };
        let found = below
            .and_then(|below| first(&self.relative, &self.relative_indices, below))
            .or_else(|| first(&self.absolute, &self.absolute_indices, path))?;
        self.patterns.get(found).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str, ignores_case: bool) -> bool {
        let paths = PathPatterns::new(&[pattern.to_owned()], ignores_case).unwrap();
        paths.first_match(&Path::new("/root").join(path), Some(Path::new(path))).is_some()
    }

    #[test]
    fn patterns_match_paths() {
        for (pattern, path, wanted) in [
            (".env", ".env", true),
            (".env", "sub/.env", true),
            (".env", ".ENV", true),
            (".env", ".env/x", true),
            (".env", ".env.example", false),
            ("*.pem", "a/b.pem", true),
            ("*.pem", "a.pem/b", true),
            ("secrets/", "secrets/a/b", true),
            ("secrets/", "x/secrets", true),
            ("a/secrets", "x/a/secrets", false),
            ("./a/b", "a/b/c", true),
            ("a/*/c", "a/b/c", true),
            ("a/*/c", "a/b/b/c", false),
            ("a/**", "a/b/b/c", true),
            ("**", "x", true),
            ("/root/a", "a/b", true),
            ("/root/b", "a/b", false),
        ] {
            assert_eq!(matches(pattern, path, true), wanted, "{pattern} {path}");
        }
        assert!(!matches(".env", ".ENV", false));
    }

    #[test]
    fn invalid_patterns_are_refused() {
        for wrong in ["", "a/../b", "[", "a\0", "{a"] {
            assert!(PathPatterns::new(&[wrong.to_owned()], true).is_err(), "{wrong:?}");
        }
    }
}
