//! Go: the modules required by `go.mod`, from the module cache, and the standard library.

use std::path::PathBuf;

use super::{
    Environment, Libraries, LibraryScope, is_file, names_below, open_outside, text_below, version,
};
use crate::Root;

pub(super) fn find(roots: &[&Root], environment: &Environment, found: &mut Libraries) {
    let modules: Vec<_> = roots.iter().filter_map(|root| text_below(root, "go.mod")).collect();
    if modules.is_empty() {
        return;
    }
    let home = environment.home();
    let cache = environment.folder("GOMODCACHE").or_else(|| {
        let path = environment.folder("GOPATH").or_else(|| Some(home.as_ref()?.join("go")))?;
        Some(path.join("pkg/mod"))
    });
    if let Some(cache) = cache.and_then(|path| open_outside(&path)) {
        let cache = found.add_folder(cache, LibraryScope::All);
        let mut required: Vec<_> = modules.iter().flat_map(|text| required(text)).collect();
        // Longest name first: a module may be nested in another.
        required.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for (name, version) in required {
            let path = format!("{cache}/{}@{}", escaped(&name), escaped(&version));
            found.resolve_imports_to("go", &name, path);
        }
    }
    let mut places: Vec<PathBuf> = environment.folder("GOROOT").into_iter().collect();
    places.push(PathBuf::from("/usr/local/go"));
    if let Some(system) = open_outside("/usr/lib".as_ref()) {
        let mut all = names_below(&system, "");
        all.retain(|name| name.starts_with("go-1.") || name == "go");
        all.sort_by_key(|name| std::cmp::Reverse(version(name)));
        places.extend(all.iter().map(|name| system.path().join(name)));
    }
    let sources = places.iter().find_map(|place| {
        let root = open_outside(&place.join("src"))?;
        is_file(&root, "fmt/print.go").then_some(root)
    });
    if let Some(root) = sources {
        let path = found.add_folder(root, LibraryScope::All);
        found.resolve_imports_to("go", "", path);
    }
}

/// The modules that a `go.mod` requires, with their versions, without those that it replaces.
fn required(text: &str) -> Vec<(String, String)> {
    let (mut all, mut replaced, mut block) = (Vec::new(), Vec::new(), String::new());
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("").trim();
        let words: Vec<&str> = line.split_whitespace().map(|w| w.trim_matches('"')).collect();
        let (verb, rest) = match words[..] {
            [verb, "("] => {
                verb.clone_into(&mut block);
                continue;
            }
            [")"] => {
                block.clear();
                continue;
            }
            [verb @ ("require" | "replace"), ref rest @ ..] => (verb, rest.to_vec()),
            _ => (block.as_str(), words),
        };
        match (verb, &rest[..]) {
            ("require", [name, version, ..]) if is_plain(name) && is_plain(version) => {
                all.push(((*name).to_owned(), (*version).to_owned()));
            }
            ("replace", [name, ..]) => replaced.push((*name).to_owned()),
            _ => {}
        }
    }
    all.retain(|(name, _)| !replaced.contains(name));
    all
}

/// Whether a name is safe as a relative path: no `..`, no hidden folder, no root.
fn is_plain(name: &str) -> bool {
    let part = |p: &str| !p.is_empty() && !p.starts_with('.');
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~/+".contains(&b))
        && name.split('/').all(part)
}

/// A name as the module cache spells it: `!` before capitals, for file systems that ignore case.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('!');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
