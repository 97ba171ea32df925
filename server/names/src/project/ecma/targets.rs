//! The entry points in a `package.json`, and the sources of built files.

use serde_json::Value;

use super::super::join_normalized;

/// Depth limit of nested conditions.
const MAX_DEPTH: u32 = 12;

/// Limit of the candidates for one subpath.
const MAX_TARGETS: usize = 64;

/// Common names of build output folders.
const OUTPUT_FOLDERS: &[&str] = &[
    "dist", "lib", "build", "out", "output", "esm", "cjs", "es", "module", "umd", "types",
    "typings", "dts", "esnext", "modern", "legacy",
];

/// The source and output folders of a configuration; paths without a leading slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) sources: String,
    pub(super) built: String,
}

/// The files that a package provides for a subpath (`.`, `./part` or `#part`), in the order of its
/// conditions. Their paths are relative to the package.
pub(super) fn targets(package: &Value, part: &str, conditions: &[String]) -> Vec<String> {
    let field = if part.starts_with('#') { "imports" } else { "exports" };
    let mut found = Vec::new();
    if let Some(map) = package.get(field) {
        collect_exported(map, part, conditions, &mut found);
    } else if part == "." {
        for field in ["source", "types", "typings", "module", "main"] {
            let path = package.get(field).and_then(Value::as_str);
            found.extend(path.map(str::to_owned));
        }
    }
    found.truncate(MAX_TARGETS);
    found
}

/// Collects the targets of a subpath in an `exports` or `imports` map.
fn collect_exported(map: &Value, part: &str, conditions: &[String], found: &mut Vec<String>) {
    let parts = map.as_object().filter(|all| all.keys().any(|k| k.starts_with(['.', '#'])));
    let Some(parts) = parts else {
        if part == "." {
            collect_targets(map, "", conditions, MAX_DEPTH, found);
        }
        return;
    };
    if let Some(target) = parts.get(part) {
        return collect_targets(target, "", conditions, MAX_DEPTH, found);
    }
    // The longest prefix before the star wins.
    let fits = parts.iter().filter_map(|(key, target)| {
        let (head, tail) = key.split_once('*')?;
        let star = part.strip_prefix(head)?.strip_suffix(tail)?;
        (!star.is_empty()).then_some((head.len(), star, target))
    });
    if let Some((_, star, target)) = fits.max_by_key(|(length, ..)| *length) {
        collect_targets(target, star, conditions, MAX_DEPTH, found);
    }
}

/// All targets whose conditions hold: the first one may not be built yet.
fn collect_targets(
    target: &Value,
    star: &str,
    conditions: &[String],
    depth: u32,
    found: &mut Vec<String>,
) {
    if depth == 0 || found.len() > MAX_TARGETS {
        return;
    }
    match target {
        Value::String(path) => found.push(path.replace('*', star)),
        Value::Array(all) => {
            all.iter().for_each(|one| collect_targets(one, star, conditions, depth - 1, found));
        }
        Value::Object(all) => {
            let holds = |name: &str| name == "default" || conditions.iter().any(|c| c == name);
            let holding = all.iter().filter(|(name, _)| holds(name));
            holding.for_each(|(_, one)| collect_targets(one, star, conditions, depth - 1, found));
        }
        _ => {}
    }
}

/// The paths, without extensions, of possible sources of a built file; the likeliest first.
pub(super) fn sources_of(folder: &str, target: &str, outputs: &[Output]) -> Vec<String> {
    let Some(path) = join_normalized(folder, target) else { return Vec::new() };
    let stem = stem(&path);
    let mut all = vec![stem.to_owned()];
    for output in outputs {
        let inner = match &*output.built {
            "" => Some(stem),
            built => stem.strip_prefix(built).and_then(|rest| rest.strip_prefix('/')),
        };
        all.extend(inner.and_then(|inner| join_normalized(&output.sources, inner)));
    }
    let inner = if folder.is_empty() { Some(stem) } else { below(stem, folder) };
    let Some(mut inner) = inner else { return all };
    let place = |inner: &str| {
        [join_normalized(folder, &format!("src/{inner}")), join_normalized(folder, inner)]
    };
    all.extend(place(inner).into_iter().flatten());
    while let Some((first, rest)) = inner.split_once('/')
        && OUTPUT_FOLDERS.contains(&first)
    {
        inner = rest;
        all.extend(place(inner).into_iter().flatten());
    }
    all
}

fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// A path without a module extension.
pub(super) fn stem(path: &str) -> &str {
    let endings =
        [".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts"];
    endings.iter().find_map(|e| path.strip_suffix(e)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn conditions(all: &[&str]) -> Vec<String> {
        all.iter().map(|c| (*c).to_owned()).collect()
    }

    #[test]
    fn targets_follow_the_package_condition_order() {
        let package = json!({ "exports": {
            ".": { "browser": "./browser.js", "@it/source": "./src/index.ts",
                   "import": { "types": "./index.d.ts", "default": "./index.js" } },
            "./deep/*": { "import": "./dist/deep/*.js" },
            "./deep/inner/*": "./dist/inner/*.js",
            "./closed/*": null,
        } });
        let all = conditions(&["@it/source", "types", "import"]);
        let found = targets(&package, ".", &all);
        assert_eq!(found, ["./src/index.ts", "./index.d.ts", "./index.js"]);
        assert_eq!(targets(&package, "./deep/x", &all), ["./dist/deep/x.js"]);
        assert_eq!(targets(&package, "./deep/inner/x", &all), ["./dist/inner/x.js"]);
        assert!(targets(&package, "./closed/x", &all).is_empty());
        assert!(targets(&package, "./other", &all).is_empty());
    }

    #[test]
    fn maps_built_files_to_sources() {
        let output = Output { sources: "p/source".to_owned(), built: "p/made".to_owned() };
        let found = sources_of("p", "./made/deep/x.js", &[output]);
        assert_eq!(found[..2], ["p/made/deep/x", "p/source/deep/x"]);
        let found = sources_of("p", "./dist/esm/x.d.ts", &[]);
        assert!(found.contains(&"p/src/x".to_owned()), "{found:?}");
        assert!(sources_of("p", "../../../x.js", &[]).is_empty());
    }
}
