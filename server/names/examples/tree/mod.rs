//! Reads the sources of a folder.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::path::Path;

use syntax::Language;

/// A file of a folder.
pub struct Source {
    /// Its path below the folder.
    pub name: String,
    pub text: String,
    /// `None` for files that are not sources, such as project files.
    pub language: Option<Language>,
}

/// All texts below a folder, in order, except links, hidden files and build output.
pub fn read(root: &Path) -> Vec<Source> {
    let (mut folders, mut files) = (vec![root.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let hidden = path.file_name().unwrap().to_string_lossy().starts_with('.');
            if path.is_symlink() || hidden || path.ends_with("target") {
                continue;
            }
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let read = |path: std::path::PathBuf| {
        let name = path.strip_prefix(root).unwrap().to_str()?.to_owned();
        let text = std::fs::read_to_string(&path).ok()?;
        let language = language(&name, &text);
        Some(Source { name, text, language })
    };
    files.into_iter().filter_map(read).collect()
}

/// A header says what it is only by what it holds.
fn language(name: &str, text: &str) -> Option<Language> {
    let cpp = ["namespace ", "class ", "template", "public:", "std::"];
    let is_cpp = |line: &str| cpp.iter().any(|w| line.trim_start().starts_with(w));
    if name.ends_with(".h") && text.lines().any(is_cpp) {
        return Language::by_id("cpp");
    }
    Language::detect(name.rsplit('/').next().unwrap(), "")
}
