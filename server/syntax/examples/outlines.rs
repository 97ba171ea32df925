//! Compares outlines of real files with universal-ctags: `outlines PAGE` writes the page.
//!
//! `TANDEM_SAMPLES` and `TANDEM_MORE_SAMPLES` name lists of files, one path per line, relative to
//! the list's folder; `TANDEM_CTAGS` names the program. A symbol is found if the outline has an
//! item of its name on its line.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use syntax::{Language, OutlineItem, Syntax};
use text::Text;

/// The name that ctags uses for a language.
const CTAGS: &[(&str, &str)] = &[
    ("bash", "Sh"),
    ("c", "C"),
    ("cpp", "C++"),
    ("csharp", "C#"),
    ("css", "CSS"),
    ("elixir", "Elixir"),
    ("go", "Go"),
    ("haskell", "Haskell"),
    ("html", "HTML"),
    ("java", "Java"),
    ("javascript", "JavaScript"),
    ("json", "JSON"),
    ("jsonc", "JSON"),
    ("kotlin", "Kotlin"),
    ("lua", "Lua"),
    ("make", "Make"),
    ("markdown", "Markdown"),
    ("ocaml", "OCaml"),
    ("ocaml_interface", "OCaml"),
    ("php", "PHP"),
    ("proto", "Protobuf"),
    ("python", "Python"),
    ("ruby", "Ruby"),
    ("rust", "Rust"),
    ("scss", "SCSS"),
    ("sql", "SQL"),
    ("tsx", "TypeScript"),
    ("typescript", "TypeScript"),
    ("xml", "XML"),
    ("yaml", "Yaml"),
];

/// Tags that the outline omits on purpose, or that ctags gets wrong.
///
/// Language, kind, whether only for indented lines, and the reason.
const REASONS: &[(&str, &str, bool, &str)] = &[
    ("bash", "heredoc", false, "the word that ends a text is nothing to go to"),
    ("css", "class", false, "a rule is one item, under all of its selectors"),
    ("css", "selector", false, "a rule is one item; ctags takes `[a=b]` and `:is(…)` apart"),
    ("elixir", "function", true, "examples in texts of documentation"),
    ("elixir", "module", true, "examples in texts of documentation"),
    ("go", "package", false, "where a file belongs is nothing that it declares"),
    ("go", "packageName", false, "imports are not listed"),
    ("haskell", "module", false, "ctags cuts the name at its first dot"),
    ("haskell", "function", true, "methods of instances, and what is within others"),
    ("haskell", "function", false, "ctags takes a keyword for a name"),
    ("java", "package", false, "where a file belongs is nothing that it declares"),
    ("json", "string", false, "elements of lists have no names"),
    ("jsonc", "object", false, "elements of lists have no names"),
    ("kotlin", "constant", true, "within a function"),
    ("kotlin", "method", false, "functions without a name"),
    ("kotlin", "package", false, "where a file belongs is nothing that it declares"),
    ("lua", "function", true, "calls of what is called `function…`, and functions within others"),
    ("make", "macro", true, "the grammar takes what a tab begins for a command"),
    ("ocaml", "function", true, "within others"),
    ("ocaml", "module", false, "the file itself"),
    ("ocaml", "var", true, "within others"),
    ("ocaml_interface", "module", false, "the file itself"),
    ("ocaml_interface", "type", false, "constraints on the types of modules"),
    ("php", "alias", false, "imports are not listed"),
    ("python", "variable", true, "within blocks in blocks"),
    ("scss", "parameter", false, "parameters stand in the item of their mixin"),
    ("scss", "variable", true, "within a mixin"),
    ("tsx", "constant", true, "within a function"),
    ("tsx", "constant", false, "ctags takes a keyword for a name"),
    ("typescript", "alias", true, "imports, and what is within a function"),
    ("typescript", "constant", true, "within a function"),
    ("xml", "artifactId", false, "elements that hold nothing but text are not listed"),
    ("xml", "groupId", false, "elements that hold nothing but text are not listed"),
    ("xml", "property", false, "elements that hold nothing but text are not listed"),
    ("xml", "nsprefix", false, "attributes are not listed"),
];
/// How many lines a definition may be below its signature, which is the outline item.
const MAX_LINES_BELOW: &[(&str, usize)] = &[("haskell", 30)];

/// Longest file that is compared, in bytes.
const MAX_FILE_LEN: usize = 200_000;
/// Number of examples of each kind.
const EXAMPLES: usize = 4;

struct Tag {
    name: String,
    kind: String,
    /// From 0.
    line: usize,
}

#[derive(Default)]
struct LanguageCounts {
    files: usize,
    broken: usize,
    lines: usize,
    tags: usize,
    found: usize,
    /// Tags that were not found, in files with syntax errors.
    missing_in_broken: usize,
    items: usize,
    /// Missing tags, by kind and whether their line is indented.
    missing: BTreeMap<(String, bool), Vec<String>>,
}

fn main() -> ExitCode {
    let done = files().and_then(|files| {
        let page = page(&files)?;
        match std::env::args().nth(1) {
            Some(path) => Ok(std::fs::write(path, page)?),
            None => {
                println!("{page}");
                Ok(())
            }
        }
    });
    done.map_or_else(
        |error| {
            eprintln!("{error}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn files() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for variable in ["TANDEM_SAMPLES", "TANDEM_MORE_SAMPLES"] {
        let Some(list) = std::env::var_os(variable).map(PathBuf::from) else { continue };
        let folder = list.parent().unwrap_or(Path::new(""));
        files.extend(std::fs::read_to_string(&list)?.lines().map(|path| folder.join(path)));
    }
    if files.is_empty() { Err("TANDEM_SAMPLES names no files".into()) } else { Ok(files) }
}

fn tags(language: &str, file: &Path) -> Result<Option<Vec<Tag>>, Box<dyn Error>> {
    let Some((_, name)) = CTAGS.iter().find(|(id, _)| *id == language) else { return Ok(None) };
    let program = std::env::var_os("TANDEM_CTAGS").ok_or("TANDEM_CTAGS names no program")?;
    let output = Command::new(program)
        .args(["--options=NONE", "--output-format=json", "--fields=+nK", "--extras=-F", "-f", "-"])
        .arg(format!("--language-force={name}"))
        .arg(file)
        .output()?;
    if !output.status.success() {
        return Err(format!("ctags: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let mut tags = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let tag: Value = serde_json::from_str(line)?;
        let text = |field: &str| tag[field].as_str().unwrap_or_default().to_owned();
        let line = usize::try_from(tag["line"].as_u64().unwrap_or(1))?.saturating_sub(1);
        tags.push(Tag { name: text("name"), kind: text("kind"), line });
    }
    Ok(Some(tags))
}

/// Maps the names of an outline to their lines, and to the first lines of their declarations.
fn named(items: &[OutlineItem], text: &Text, names: &mut HashMap<String, Vec<(usize, usize)>>) {
    for item in items {
        let lines = (text.line_of(item.span.start), text.line_of(item.name_span.end));
        let written = text.slice(item.name_span.clone());
        // A CSS rule has several selectors.
        let selectors = item.name.split(',').map(|s| s.trim_matches([' ', '&']));
        for name in
            selectors.chain([&*written, unqualified(&written), &item.name, unqualified(&item.name)])
        {
            names.entry(name.to_owned()).or_default().push(lines);
        }
        named(&item.children, text, names);
    }
}

/// A name without qualifiers and quotes.
fn unqualified(name: &str) -> &str {
    let name = name.trim_matches(['"', '\'', '`', '#', '.', '$', ' ', ':', '&', '@', '(', ')']);
    let end = name.rfind(['.', ':', '#', '$']).map_or(0, |at| at + 1);
    name[end..].trim()
}

fn count(items: &[OutlineItem]) -> usize {
    items.iter().map(|item| 1 + count(&item.children)).sum()
}

/// Compares one file. `None` if its language is unknown.
fn compare_file(
    file: &Path,
    by_language: &mut BTreeMap<&'static str, (Language, bool, LanguageCounts)>,
) -> Result<Option<()>, Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let Ok(source) = String::from_utf8(bytes) else { return Ok(None) };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let Some(language) = Language::detect(&name, &source) else { return Ok(None) };
    if source.len() > MAX_FILE_LEN || source.trim().is_empty() {
        return Ok(None);
    }
    let (go, text) = (AtomicBool::new(false), Text::new(&source));
    let syntax = Syntax::parse(language, &text, None, &go).ok_or("interrupted")?;
    let outline = syntax.outline(&go).ok_or("interrupted")?.items;
    let tags = tags(language.id(), file)?;
    let (_, _, seen) = by_language
        .entry(language.name())
        .or_insert_with(|| (language, tags.is_some(), LanguageCounts::default()));
    seen.files += 1;
    seen.lines += source.lines().count();
    seen.broken += usize::from(syntax.root().has_error());
    seen.items += count(&outline);
    let below =
        MAX_LINES_BELOW.iter().find(|(id, _)| *id == language.id()).map_or(0, |(_, lines)| *lines);
    let mut names = HashMap::new();
    named(&outline, &text, &mut names);
    for tag in tags.unwrap_or_default() {
        seen.tags += 1;
        let mut places =
            [&*tag.name, unqualified(&tag.name)].into_iter().filter_map(|n| names.get(n));
        if places.any(|at| at.iter().any(|(a, b)| (*a..=*b + below).contains(&tag.line))) {
            seen.found += 1;
        } else if syntax.root().has_error() {
            seen.missing_in_broken += 1;
        } else {
            let place = format!("`{}` {name}:{}", tag.name, tag.line + 1);
            let indented = text.line(tag.line).starts_with([' ', '\t']);
            seen.missing.entry((tag.kind, indented)).or_default().push(place);
        }
    }
    Ok(Some(()))
}

fn page(files: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    let mut by_language = BTreeMap::new();
    for file in files {
        compare_file(file, &mut by_language)?;
    }
    let mut page = String::from(HEAD);
    let (mut tags, mut found, mut omitted, mut broken) = (0, 0, 0, 0);
    let mut differences = String::new();
    for (name, (language, known, seen)) in &by_language {
        let reason = |(kind, indented): &(String, bool)| {
            let is = |id: &str, of: &str, only: bool| {
                id == language.id() && of == kind && (*indented || !only)
            };
            let row = REASONS.iter().find(|(id, of, only, _)| is(id, of, *only));
            row.map(|(_, _, _, why)| *why)
        };
        let left_out: usize =
            seen.missing.iter().filter(|(k, _)| reason(k).is_some()).map(|(_, m)| m.len()).sum();
        let cell = |n: usize| if *known { n.to_string() } else { String::new() };
        writeln!(
            page,
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            seen.files,
            seen.lines,
            seen.broken,
            seen.items,
            cell(seen.tags),
            cell(seen.found),
            cell(seen.missing_in_broken),
            cell(left_out),
            cell(seen.tags - seen.found - seen.missing_in_broken - left_out),
        )?;
        (tags, found, omitted) = (tags + seen.tags, found + seen.found, omitted + left_out);
        broken += seen.missing_in_broken;
        for (key @ (kind, _), places) in &seen.missing {
            let shown: Vec<&str> = places.iter().take(EXAMPLES).map(String::as_str).collect();
            let why = reason(key).unwrap_or("");
            let shown = shown.join(", ");
            writeln!(differences, "| {name} | {kind} | {} | {shown} | {why} |", places.len())?;
        }
    }
    let open = tags - found - omitted - broken;
    writeln!(
        page,
        "\nOf {tags} symbols {found} are in the outlines, {broken} of the others in broken files; \
         {omitted} are left out for the reasons below, {open} without one.\n\n## Differences\n\n\
         | language | kind | number | for instance | why |\n|---|---|---:|---|---|\n{differences}"
    )?;
    Ok(page.trim_end().to_owned() + "\n")
}

const HEAD: &str = "# Outlines beside universal-ctags

Made by `cargo xtask test --languages`: real files of public packages, which it downloads, each pinned by its
version and, from crates.io, its hash (`samples` and `more-samples` in `server/xtask/components.json`). A symbol of
universal-ctags 5.9 is *in the outline* where that has an item of its name on its line. Nothing stands in the
columns of languages that ctags does not know. *Broken*: files that the grammar does not take all of.

| language | files | lines | broken | items | of ctags | in the outline | in broken files | left out | other |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";
