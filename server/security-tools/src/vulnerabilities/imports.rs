//! Where the workspace's own code imports a package.

use vulnerabilities::{Ecosystem, LockedPackage};

use super::REGEX;
use search_tools::{FilePattern, FileSelection, Pattern, matching_files};
use tools::{Context, ToolError};

/// Files that a result names.
const MAX_FILES: usize = 3;

/// The first files that import it; `None` in ecosystems whose packages have other names than their modules, where
/// nothing is found.
pub(super) fn importing_files(
    context: &Context<'_>,
    tool: &'static str,
    path: Option<&str>,
    package: &LockedPackage,
) -> Result<Option<Vec<String>>, ToolError> {
    let Some((pattern, files)) = import_pattern(package) else { return Ok(None) };
    let selection = FileSelection {
        // The code that uses a lock file may be anywhere in the workspace.
        paths: path.into_iter().filter(|path| !vulnerabilities::is_lock_file(name(path))).collect(),
        include: Some(FilePattern::new(tool, files)?),
    };
    let pattern = Pattern::new(tool, &pattern, REGEX)?;
    let found = matching_files(context, tool, &pattern, &selection, MAX_FILES)?;
    let shown = found.files.iter().map(|path| path.display_path()).collect();
    Ok(Some(shown))
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A regular expression for lines that import a package, and the files in which they are.
fn import_pattern(package: &LockedPackage) -> Option<(String, &'static str)> {
    let name = regex::escape(&package.name);
    Some(match package.ecosystem {
        Ecosystem::Npm => (
            format!(r#"(\bfrom|\brequire\(|\bimport\(?)\s*['"]{name}(/[^'"]*)?['"]"#),
            "*.js,*.mjs,*.cjs,*.jsx,*.ts,*.mts,*.cts,*.tsx,*.vue,*.svelte",
        ),
        Ecosystem::CratesIo => {
            let module = regex::escape(&package.name.replace('-', "_"));
            (format!(r"\b{module}::|\b(use|extern crate) {module}\b"), "*.rs")
        }
        Ecosystem::Go => (format!(r#""{name}(/[^"]*)?""#), "*.go"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    fn matches(ecosystem: Ecosystem, name: &str, line: &str) -> bool {
        let package = LockedPackage {
            ecosystem,
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            line: 1,
            is_dev: false,
        };
        Regex::new(&import_pattern(&package).unwrap().0).unwrap().is_match(line)
    }

    #[test]
    fn imports_are_those_of_the_package_and_its_modules() {
        for line in
            ["import a from 'lodash'", "const b = require(\"lodash/get\")", "import 'lodash'"]
        {
            assert!(matches(Ecosystem::Npm, "lodash", line), "{line}");
        }
        for line in ["import a from 'lodash-es'", "import a from './lodash'", "// lodash"] {
            assert!(!matches(Ecosystem::Npm, "lodash", line), "{line}");
        }
        assert!(matches(Ecosystem::CratesIo, "serde-json", "use serde_json::Value;"));
        assert!(!matches(Ecosystem::CratesIo, "serde", "use serde_json::Value;"));
        assert!(matches(Ecosystem::Go, "example.com/a", "\t\"example.com/a/v2/x\""));
        assert!(!matches(Ecosystem::Go, "example.com/a", "\t\"example.com/ab\""));
    }
}
