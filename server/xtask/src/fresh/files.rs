//! The source files of a project, with the language that an editor would open each as.

use crate::Failure;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The server's table of languages.
const LANGUAGES: &str = include_str!("../../../syntax/languages.toml");
/// Folders of installed dependencies and of version control: not the project's own files.
const SKIPPED_FOLDERS: &[&str] = &[".git", "node_modules", "site-packages", ".venv", "vendor"];
/// Files past this size are counted and not opened: editors warn before they open them.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// A file to open.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    /// The `languageId` of `textDocument/didOpen`.
    pub(crate) lsp_id: String,
    /// The language by the server's own name.
    pub(crate) language: String,
}

/// The files of a project, and how many were too long to open.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) files: Vec<SourceFile>,
    pub(crate) too_long: usize,
}

/// Which file names belong to which language.
pub(crate) struct Languages {
    extensions: HashMap<String, (String, String)>,
    names: Vec<(String, (String, String))>,
}

impl Languages {
    /// Reads the server's table.
    ///
    /// # Errors
    /// A table that is not TOML.
    pub(crate) fn load() -> Result<Self, Failure> {
        let table: toml::Table =
            LANGUAGES.parse().map_err(|error| format!("languages.toml: {error}"))?;
        let mut languages = Self { extensions: HashMap::new(), names: Vec::new() };
        for entry in table.get("language").and_then(|list| list.as_array()).into_iter().flatten() {
            let list = |key: &str| {
                let items = entry.get(key).and_then(|list| list.as_array());
                items.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned))
            };
            let Some(id) = entry.get("id").and_then(|id| id.as_str()) else { continue };
            let lsp_id = list("lsp_ids").next().unwrap_or_else(|| id.to_owned());
            let both = (lsp_id, id.to_owned());
            for extension in list("extensions") {
                languages.extensions.entry(extension).or_insert_with(|| both.clone());
            }
            languages.names.extend(list("file_names").map(|name| (name, both.clone())));
        }
        // As VS Code and Neovim name them; the table lists every name that a server may hear.
        for (extension, lsp_id) in
            [("tsx", "typescriptreact"), ("jsx", "javascriptreact"), ("h", "cpp")]
        {
            if let Some((known, _)) = languages.extensions.get_mut(extension) {
                lsp_id.clone_into(known);
            }
        }
        Ok(languages)
    }

    /// The `languageId` and the language of a file with this name.
    fn of(&self, name: &str) -> Option<(String, String)> {
        let whole = self.names.iter().find(|(pattern, _)| match pattern.split_once('*') {
            // A name with a `*` gives way to an extension of its own: `Dockerfile.md`.
            Some((start, end)) if !end.is_empty() => {
                name.len() > start.len() + end.len()
                    && name.starts_with(start)
                    && name.ends_with(end)
            }
            _ => pattern == name,
        });
        if let Some((_, both)) = whole {
            return Some(both.clone());
        }
        let (_, extension) = name.rsplit_once('.')?;
        self.extensions.get(&extension.to_ascii_lowercase()).cloned()
    }
}

/// All files below `root` in a language that the server knows, in order.
///
/// # Errors
/// A root that cannot be read.
pub(crate) fn find(root: &Path, languages: &Languages) -> Result<Sources, Failure> {
    let mut sources = Sources::default();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if folder == root => return Err(format!("{}: {error}", root.display())),
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
            // Links are skipped: their targets are found where they lie.
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !SKIPPED_FOLDERS.contains(&name.as_str()) {
                folders.push(path);
            } else if kind.is_file()
                && let Some((lsp_id, language)) = languages.of(&name)
            {
                if entry.metadata().is_ok_and(|data| data.len() > MAX_FILE_BYTES) {
                    sources.too_long += 1;
                } else {
                    sources.files.push(SourceFile { path, lsp_id, language });
                }
            }
        }
    }
    sources.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_names_languages_by_the_file_name() {
        let languages = Languages::load().unwrap();
        let of = |name: &str| languages.of(name).unwrap_or_default();
        let both = |lsp_id: &str, id: &str| (lsp_id.to_owned(), id.to_owned());
        assert_eq!(of("App.tsx"), both("typescriptreact", "tsx"));
        assert_eq!(of("App.jsx"), both("javascriptreact", "javascript"));
        assert_eq!(of("a.py"), both("python", "python"));
        assert_eq!(of("a.h"), both("cpp", "c"));
        assert_eq!(of("Dockerfile"), both("dockerfile", "dockerfile"));
        assert_eq!(of("tsconfig.app.json").1, "jsonc");
        assert_eq!(of("package.json").1, "json");
        assert_eq!(of("Dockerfile.md").1, "markdown");
        assert_eq!(languages.of("LICENSE"), None);
        assert_eq!(languages.of("a.unknown"), None);
    }

    #[test]
    fn installed_dependencies_are_not_the_projects_files() {
        let root = std::env::temp_dir().join(format!("xtask-fresh-{}", std::process::id()));
        for path in ["src/a.ts", "node_modules/b/c.ts", "d.py", "LICENSE"] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let found = find(&root, &Languages::load().unwrap()).unwrap();
        let paths: Vec<_> =
            found.files.iter().map(|file| file.path.strip_prefix(&root).unwrap()).collect();
        assert_eq!(paths, [Path::new("d.py"), Path::new("src/a.ts")]);
        fs::remove_dir_all(root).unwrap();
    }
}
