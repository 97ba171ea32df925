//! JavaScript's and TypeScript's modules: relative paths, `paths` of tsconfig, names of packages
//! in the workspace.

use super::{Located, Module, Project, join, last, parent};
use crate::index::FileId;

/// Endings that an import may leave out, the most telling first.
const ENDINGS: [&str; 9] = [".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"];

/// What a `package.json`, `tsconfig.json` or `jsconfig.json` says.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Configuration {
    folder: Box<str>,
    file: Box<str>,
    /// A package's name and the file it starts with.
    package: Option<(Box<str>, Box<str>)>,
    base: Option<Box<str>>,
    /// Patterns and what they stand for.
    aliases: Vec<(Box<str>, Box<str>)>,
}

impl Located for Configuration {
    fn folder(&self) -> &str {
        &self.folder
    }

    fn other(&self, other: &Self) -> bool {
        self.file != other.file
    }
}

impl Configuration {
    pub(super) fn read(path: &str, text: &str) -> Self {
        let mut read =
            Self { folder: parent(path).into(), file: last(path).into(), ..Self::default() };
        if last(path) == "package.json" {
            if let Some(name) = string(text, "\"name\"") {
                let main = string(text, "\"main\"").unwrap_or("index.js");
                read.package = Some((name.into(), main.into()));
            }
            return read;
        }
        read.base = string(text, "\"baseUrl\"").map(Into::into);
        if let Some((_, rest)) = text.split_once("\"paths\"")
            && let Some((block, _)) = rest.split_once('}')
        {
            let mut pattern = None;
            for (n, piece) in block.split('"').enumerate() {
                if n % 2 == 0 {
                    continue;
                }
                let before = block[..offset(block, piece)].trim_end_matches('"').trim_end();
                if before.ends_with('[') {
                    if let Some(pattern) = pattern.take() {
                        read.aliases.push((pattern, piece.into()));
                    }
                } else if !before.ends_with(',') || pattern.is_none() {
                    pattern = Some(piece.into());
                }
            }
        }
        read
    }
}

fn offset(text: &str, piece: &str) -> usize {
    piece.as_ptr() as usize - text.as_ptr() as usize
}

/// The string that follows a key.
fn string<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(key)?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    Some(rest.split_once('"')?.0)
}

impl Project {
    pub(super) fn ecma(&self, file: FileId, name: &str) -> Option<Module> {
        let path = self.path(file);
        if name.starts_with('.') {
            return self.ecma_at(&join(parent(path), name)?);
        }
        if let Some(rooted) = name.strip_prefix('/') {
            return self.ecma_at(&join("", rooted)?);
        }
        for configuration in &self.ecma {
            let inside = configuration.folder.is_empty()
                || path.strip_prefix(&*configuration.folder).is_some_and(|r| r.starts_with('/'));
            if inside {
                let base = configuration.base.as_deref().unwrap_or(".");
                let base = join(&configuration.folder, base)?;
                for (pattern, target) in &configuration.aliases {
                    if let Some(rest) = matched(pattern, name)
                        && let Some(at) = join(&base, &target.replacen('*', rest, 1))
                        && let Some(found) = self.ecma_at(&at)
                    {
                        return Some(found);
                    }
                }
                if configuration.base.is_some()
                    && let Some(found) = self.ecma_at(&join(&base, name)?)
                {
                    return Some(found);
                }
            }
            if let Some((package, main)) = &configuration.package
                && let Some(rest) = name.strip_prefix(&**package)
                && (rest.is_empty() || rest.starts_with('/'))
            {
                let inner = if rest.is_empty() { &**main } else { &rest[1..] };
                let at = join(&configuration.folder, inner)?;
                let src = join(&configuration.folder, "src/index")?;
                return self.ecma_at(&at).or_else(|| self.ecma_at(&src));
            }
        }
        None
    }

    fn ecma_at(&self, path: &str) -> Option<Module> {
        if let Some(file) = self.file(path) {
            return Some(Module::File(file));
        }
        // An import of `x.js` may mean the `x.ts` that it is compiled from.
        let stem = [".js", ".jsx", ".mjs", ".cjs"].iter().find_map(|e| path.strip_suffix(e));
        for base in [Some(path), stem].into_iter().flatten() {
            for ending in ENDINGS {
                if let Some(file) = self.file(&format!("{base}{ending}")) {
                    return Some(Module::File(file));
                }
            }
        }
        for ending in ENDINGS {
            let full = format!("{path}/index{ending}");
            if let Some(file) = self.file(full.trim_start_matches('/')) {
                return Some(Module::File(file));
            }
        }
        None
    }
}

/// What the star of a pattern stands for in `name`.
fn matched<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('*') {
        Some((before, after)) => name.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == name).then_some(""),
    }
}
