//! Names that need no definition, linter comments, and files that no person writes.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

/// The lists of global names, by folder in `queries/`.
macro_rules! lists {
    ($($folder:literal),*) => {
        &[$(($folder, include_str!(concat!("../../../../queries/", $folder, "/globals.txt")))),*]
    };
}

static LISTS: &[(&str, &str)] = lists!["python", "typescript", "rust", "go", "java"];

/// Whether a name needs no definition in a language.
pub(super) fn is_global(language: &str, name: &str) -> bool {
    static TABLE: OnceLock<Vec<(&'static str, FxHashSet<&'static str>)>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let list =
            |(folder, text): &(&'static str, &'static str)| (*folder, text.lines().collect());
        LISTS.iter().map(list).collect()
    });
    let folder = match language {
        "tsx" | "javascript" => "typescript",
        other => other,
    };
    table.iter().any(|(folder_of_list, names)| *folder_of_list == folder && names.contains(name))
}

/// Whether every Python module has an attribute of this name.
pub(super) fn is_module_attribute(name: &str) -> bool {
    matches!(
        name,
        "__annotations__"
            | "__builtins__"
            | "__cached__"
            | "__debug__"
            | "__dict__"
            | "__doc__"
            | "__file__"
            | "__loader__"
            | "__name__"
            | "__package__"
            | "__path__"
            | "__spec__"
    )
}

/// Macros of Rust's standard library and of very common crates that expand to expressions of their
/// arguments only.
const PLAIN_MACROS: &[&str] = &[
    "println",
    "print",
    "eprintln",
    "eprint",
    "format",
    "write",
    "writeln",
    "vec",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "todo",
    "unimplemented",
    "unreachable",
    "matches",
    "dbg",
    "concat",
    "env",
    "option_env",
    "include_str",
    "include_bytes",
    "stringify",
    "line",
    "file",
    "column",
    "cfg",
    "compile_error",
    "format_args",
    "r#try",
    "addr_of",
    "addr_of_mut",
    "ready",
    "pin",
    "join",
    "module_path",
    "debug",
    "info",
    "warn",
    "error",
    "trace",
    "log",
    "bail",
    "ensure",
    "anyhow",
    "json",
    "assert_matches",
];

/// Whether a Rust macro uses only names that are in its arguments.
pub(super) fn is_plain_macro(name: &str) -> bool {
    PLAIN_MACROS.contains(&name)
}

/// Whether a comment contains one of these words, which tell linters to ignore the line: `noqa`, in
/// any case.
pub(super) fn is_suppressed(comment: &str, words: &[&str]) -> bool {
    let comment = comment.to_ascii_lowercase();
    words.iter().any(|word| comment.contains(&word.to_ascii_lowercase()))
}

/// Whether a comment of a Python file, `# ruff: noqa` or `# flake8: noqa`, turns off the rule `code` in all of it: such
/// a comment may list rules, or the first letters of their codes.
pub(super) fn is_rule_off(source: &str, code: &str) -> bool {
    ["# ruff: noqa", "# flake8: noqa"].iter().any(|mark| {
        source.match_indices(mark).any(|(at, _)| {
            let starts = source[..at].ends_with('\n') || at == 0;
            let rest = source[at + mark.len()..].lines().next().unwrap_or_default().trim();
            let lists = |codes: &str| {
                codes.split([',', ' ']).any(|listed| !listed.is_empty() && code.starts_with(listed))
            };
            starts && rest.strip_prefix(':').map_or(rest.is_empty(), lists)
        })
    })
}

/// Whether a name looks like a typo of another: one or two letters differ.
#[must_use]
pub fn is_typo_of(name: &str, other: &str) -> bool {
    let most = if name.len() > 5 { 2 } else { 1 };
    name != other
        && name.len().abs_diff(other.len()) <= most
        && strsim::osa_distance(name, other) <= most
}

/// Whether a file is generated, or is test data that may be wrong on purpose.
pub(super) fn is_generated(path: &str, source: &str) -> bool {
    let part = |p: &str| {
        matches!(
            p,
            "testdata"
                | "fixtures"
                | "__fixtures__"
                | "fixture"
                | "vendor"
                | "node_modules"
                | "third_party"
                | "templates"
                | "ui"
                | "compile-fail"
                | "compile_fail"
                | "snapshots"
                | "test_data"
                | "testcases"
                | "corpus"
        )
    };
    let data = path.contains("tests/data/") || path.contains("test/data/");
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    if data || parts.any(part) || file.contains(".min.") {
        return true;
    }
    let mut end = source.len().min(2_000);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let head = &source[..end];
    let script = [".js", ".cjs", ".mjs"].iter().any(|ending| path.ends_with(ending));
    if script && syntax::is_minified(source) {
        return true;
    }
    [
        "DO NOT EDIT",
        "do not edit",
        "Do not edit",
        "@generated",
        "Generated by",
        "generated by",
        "Autogenerated",
        "auto-generated",
        "automatically generated",
        "Automatically generated",
    ]
    .iter()
    .any(|w| head.contains(w))
        || is_bundle(source)
}

/// Whether a tool wrote the file for machines: its lines are very long, it ends with a source map
/// link, or it starts like a browser bundle.
fn is_bundle(source: &str) -> bool {
    /// Average line length in bytes; hand-written code has about 30.
    const MIN_AVERAGE_LINE: usize = 200;
    let mut tail = source.len().saturating_sub(1_000);
    while !source.is_char_boundary(tail) {
        tail += 1;
    }
    let mut head = source.len().min(1_000);
    while !source.is_char_boundary(head) {
        head -= 1;
    }
    source.len() > 1_000 && source.len() / source.lines().count().max(1) >= MIN_AVERAGE_LINE
        || source[tail..].contains("\n//# sourceMappingURL=")
        || ["webpackUniversalModuleDefinition", "webpackBootstrap"]
            .iter()
            .any(|word| source[..head].contains(word))
}
