//! Globs that include and exclude files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use tools::{Code, ToolError};

/// Limits for a list of globs: its length in bytes, its globs and alternatives.
const MAX_LIST_BYTES: usize = 4_096;
const MAX_GLOBS: usize = 100;

/// A list of globs such as `*.rs,!*_test.rs,docs/**`. A glob without a slash matches names, one
/// with a slash paths.
#[derive(Debug, Clone)]
pub struct FilePattern {
    names: GlobSet,
    paths: GlobSet,
    not_names: GlobSet,
    not_paths: GlobSet,
    /// There are only exclusions: everything else is included.
    any: bool,
}

impl FilePattern {
    /// Parses a pattern, or several with commas between them.
    ///
    /// # Errors
    /// If one is no glob.
    pub fn new(tool: &str, list: &str) -> Result<Self, ToolError> {
        let mut builders: [GlobSetBuilder; 4] = std::array::from_fn(|_| GlobSetBuilder::new());
        let globs = split(list);
        if globs.len() > MAX_GLOBS || list.len() > MAX_LIST_BYTES {
            return Err(too_long(tool));
        }
        let mut any = true;
        for written in globs {
            let (glob, not) = match written.strip_prefix('!') {
                Some(glob) => (glob, true),
                None => (written, false),
            };
            any &= not;
            let is_path = glob.contains('/');
            let glob = glob.strip_prefix("./").unwrap_or(glob);
            let glob = compile(tool, glob.strip_prefix('/').unwrap_or(glob), false)?;
            builders[usize::from(is_path) + 2 * usize::from(not)].add(glob);
        }
        let [names, paths, not_names, not_paths] = builders.map(|b| b.build());
        let failed = |error: globset::Error| invalid(tool, &error);
        Ok(Self {
            names: names.map_err(failed)?,
            paths: paths.map_err(failed)?,
            not_names: not_names.map_err(failed)?,
            not_paths: not_paths.map_err(failed)?,
            any,
        })
    }

    /// Whether the file `name` at `path` is included. `path` is called only if a glob needs it.
    pub(super) fn wants<'p>(&self, name: &[u8], path: impl FnOnce() -> &'p [u8]) -> bool {
        let name = Path::new(OsStr::from_bytes(name));
        if self.not_names.is_match(name) {
            return false;
        }
        let named = self.any || self.names.is_match(name);
        if self.not_paths.is_empty() && (named || self.paths.is_empty()) {
            return named;
        }
        let path = Path::new(OsStr::from_bytes(path()));
        (named || self.paths.is_match(path)) && !self.not_paths.is_match(path)
    }
}

/// Compiles one path glob, as `find_files_glob` takes it.
pub(super) fn path_glob(
    tool: &str,
    pattern: &str,
    case_sensitive: bool,
) -> Result<GlobSet, ToolError> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let glob = compile(tool, pattern, !case_sensitive)?;
    let mut set = GlobSetBuilder::new();
    set.add(glob);
    set.build().map_err(|error| invalid(tool, &error))
}

/// `*` and `?` match within a name, `**` crosses folders; `[a-z]` and `{a,b}` as usual.
fn compile(tool: &str, glob: &str, ignore_case: bool) -> Result<globset::Glob, ToolError> {
    if glob.is_empty() {
        return Err(ToolError::new(Code::InvalidParams, format!("{tool}: the glob is empty")));
    }
    let alternatives = glob.bytes().filter(|byte| matches!(byte, b'{' | b',')).count();
    if glob.len() > MAX_LIST_BYTES || alternatives > MAX_GLOBS {
        return Err(too_long(tool));
    }
    GlobBuilder::new(glob)
        .literal_separator(true)
        .case_insensitive(ignore_case)
        .backslash_escape(true)
        .build()
        .map_err(|error| invalid(tool, &error))
}

fn invalid(tool: &str, error: &globset::Error) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("{tool}: {error}"))
        .hint("for instance `**/*.rs`, `src/*.{ts,tsx}`, `[A-Z]*.md`; `\\` before a special character takes it as it is")
}

fn too_long(tool: &str) -> ToolError {
    let message = format!(
        "{tool}: a glob may have {MAX_LIST_BYTES} bytes and {MAX_GLOBS} alternatives, a list {MAX_GLOBS} globs"
    );
    ToolError::new(Code::InvalidParams, message)
}

/// Splits at commas outside braces and brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut escaped) = (Vec::new(), 0, 0_usize, false);
    for (at, c) in list.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_names_or_paths() {
        let wants = |list: &str, path: &str| {
            let name = path.rsplit('/').next().unwrap();
            FilePattern::new("t", list).unwrap().wants(name.as_bytes(), || path.as_bytes())
        };
        for (list, path, wanted) in [
            ("*.rs,*.toml", "a/b/c.rs", true),
            ("*.rs, *.toml", "Cargo.toml", true),
            ("*.rs,*.toml", "a.py", false),
            ("*.{ts,tsx}", "a/b.tsx", true),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("src/**/*.rs", "src/a/b.rs", true),
            ("./src/**", "src/a/b", true),
            ("!*.min.js", "a.min.js", false),
            ("!*.min.js", "a.js", true),
            ("*.js,!vendor/**", "vendor/a.js", false),
            ("*.js,!vendor/**", "a.js", true),
            ("", "anything", true),
            ("a\\,b", "a,b", true),
        ] {
            assert_eq!(wants(list, path), wanted, "{list} {path}");
        }
    }

    #[test]
    fn rejects_invalid_and_expensive_globs() {
        for bad in ["[", "{a", "a[z-a]", &"{a,".repeat(200), &"*".repeat(5_000), &"a,".repeat(101)]
        {
            assert!(FilePattern::new("t", bad).is_err(), "{bad:.20}");
        }
        for slow in ["*a*".repeat(300), "{a,b}".repeat(40), "**/".repeat(500) + "x"] {
            let glob = path_glob("t", &slow, false).unwrap();
            let started = std::time::Instant::now();
            assert!(!glob.is_match("a/".repeat(1_000) + "c"));
            assert!(started.elapsed().as_millis() < 500, "{slow:.20}: {:?}", started.elapsed());
        }
    }
}
