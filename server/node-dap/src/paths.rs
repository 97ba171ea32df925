//! Paths of files, and the URLs that scripts and source maps name them by.

use std::path::{Component, Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What Node encodes in the path of a `file:` URL.
const FILE_URL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'\\')
    .add(b'^')
    .add(b'|')
    .add(b'[')
    .add(b']');

/// The path of a script by its URL: a `file:` URL, or an absolute path, as `vm` has it.
pub(crate) fn script_path(url: &str) -> Option<PathBuf> {
    let path = match url.strip_prefix("file://") {
        Some(rest) => {
            let rest = rest.split(['?', '#']).next().unwrap_or(rest);
            percent_decode_str(rest).decode_utf8().ok()?.into_owned()
        }
        None => url.to_owned(),
    };
    path.starts_with('/').then(|| normalize(Path::new(&path)))
}

/// The `file:` URL that Node gives to a file.
pub(crate) fn file_url(path: &Path) -> String {
    format!("file://{}", utf8_percent_encode(&path.to_string_lossy(), FILE_URL))
}

/// A regular expression that matches the URLs of a script: of its `file:` URL, with or without a query, or of
/// its path.
pub(crate) fn url_regex(path: &Path) -> String {
    let (url, path) = (file_url(path), path.to_string_lossy());
    format!("^({}([?#].*)?|{})$", escape(&url), escape(&path))
}

/// Escapes text for a regular expression of JavaScript.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\^$.|?*+()[]{}/".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Resolves `.` and `..` without looking at the disk.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The file that a source map's source is; `None` if it is no file. `folder` is where the map or its script
/// is, `root` the folder of the project, for bundlers' own schemes.
pub(crate) fn source_path(source: &str, folder: &Path, root: &Path) -> Option<PathBuf> {
    if source.is_empty() || source.contains('\0') {
        return None;
    }
    if source.starts_with("file://") {
        return script_path(source);
    }
    let Some((scheme, rest)) = source.split_once("://") else {
        let source = source.split('?').next().unwrap_or(source);
        return Some(normalize(&folder.join(source)));
    };
    // `webpack://name/./src/a.ts?1a2b`, `webpack:///src/a.ts`, `http://localhost:5173/src/a.tsx`.
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (_, path) = rest.split_once('/')?;
    let path = percent_decode_str(path).decode_utf8().ok()?;
    if path.starts_with("(webpack)") || path.starts_with("webpack/") || path.is_empty() {
        return None;
    }
    let is_bundler = !scheme.starts_with("http");
    // `webpack:///home/me/app/src/a.ts`, as some configurations write it.
    let absolute = normalize(&Path::new("/").join(&*path));
    if is_bundler && absolute.starts_with(root) {
        return Some(absolute);
    }
    Some(normalize(&root.join(path.trim_start_matches('/'))))
}

/// A regular expression for a glob of `skipFiles`; `**` crosses folders, `<node_internals>` are Node's own
/// scripts.
pub(crate) fn skip_regex(glob: &str) -> String {
    if let Some(rest) = glob.strip_prefix("<node_internals>") {
        let rest = rest.trim_start_matches('/');
        let name = if rest.is_empty() || rest == "**" { String::new() } else { glob_body(rest) };
        return format!("^node:{name}");
    }
    let body = glob_body(glob.trim_start_matches("${workspaceFolder}/"));
    if glob.starts_with('/') { format!("^(file://)?{body}$") } else { format!("(^|/){body}$") }
}

fn glob_body(glob: &str) -> String {
    let parts: Vec<_> = glob
        .split("**")
        .map(|part| part.split('*').map(escape).collect::<Vec<_>>().join("[^\\/]*"))
        .collect();
    parts.join(".*").replace(".*\\/", "(.*\\/)?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_scripts_lead_to_files() {
        let all = [
            ("file:///w/a%20b.js?x=1", Some("/w/a b.js")),
            ("/w/../v/a.js", Some("/v/a.js")),
            ("node:fs", None),
            ("evalmachine.<anonymous>", None),
            ("file:///w/%FF.js", None),
        ];
        for (url, path) in all {
            assert_eq!(script_path(url).as_deref(), path.map(Path::new), "{url}");
        }
        assert_eq!(file_url(Path::new("/w/a b#.js")), "file:///w/a%20b%23.js");
        assert_eq!(url_regex(Path::new("/w/a.js")), r"^(file:\/\/\/w\/a\.js([?#].*)?|\/w\/a\.js)$");
    }

    #[test]
    fn sources_of_all_bundlers_lead_to_files() {
        let (folder, root) = (Path::new("/w/dist"), Path::new("/w"));
        let all = [
            ("../src/a.ts", Some("/w/src/a.ts")),
            ("/w/src/a.ts", Some("/w/src/a.ts")),
            ("file:///w/src/a.ts", Some("/w/src/a.ts")),
            ("webpack://app/./src/a.ts?1a2b", Some("/w/src/a.ts")),
            ("webpack:///src/a.ts", Some("/w/src/a.ts")),
            ("webpack:///w/src/a.ts", Some("/w/src/a.ts")),
            ("webpack://app/webpack/bootstrap", None),
            ("http://localhost:5173/src/a.tsx?t=1", Some("/w/src/a.tsx")),
            ("../../../etc/passwd", Some("/etc/passwd")),
            ("\0virtual:x", None),
            ("", None),
        ];
        for (source, path) in all {
            assert_eq!(
                source_path(source, folder, root).as_deref(),
                path.map(Path::new),
                "{source}"
            );
        }
    }

    #[test]
    fn globs_of_skipped_files_become_regular_expressions() {
        assert_eq!(skip_regex("<node_internals>/**"), "^node:");
        assert_eq!(skip_regex("**/node_modules/**"), r"(^|/)(.*\/)?node_modules\/.*$");
        assert_eq!(skip_regex("/w/lib/*.js"), r"^(file://)?\/w\/lib\/[^\/]*\.js$");
    }
}
