//! Language detection by file name and content.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::Language;
use crate::language::non_language_extensions;

/// How much of a file is inspected for its language, in bytes.
const INSPECTED_BYTES: usize = 64 << 10;
/// Number of lines at the start and the end of a file that may hold a modeline, as in Vim.
const MODELINES: usize = 5;

/// Lookup tables from the languages table. `names` maps what people and editors call a language, in
/// lower case, to the language.
struct LanguageLookup {
    extensions: HashMap<String, Language>,
    whole: HashMap<&'static str, Language>,
    patterns: Vec<(&'static str, &'static str, Language)>,
    programs: HashMap<&'static str, Language>,
    names: HashMap<String, Language>,
}

fn lookup() -> &'static LanguageLookup {
    static LOOKUP: OnceLock<LanguageLookup> = OnceLock::new();
    LOOKUP.get_or_init(|| {
        let mut lookup = LanguageLookup {
            extensions: HashMap::new(),
            whole: HashMap::new(),
            patterns: Vec::new(),
            programs: HashMap::new(),
            names: HashMap::new(),
        };
        for language in Language::all_with_embedded() {
            let entry = &language.row().entry;
            let lower = |word: &String| word.to_ascii_lowercase();
            for extension in &entry.extensions {
                lookup.extensions.entry(lower(extension)).or_insert(language);
            }
            for name in &entry.file_names {
                match name.split_once('*') {
                    Some((start, end)) => lookup.patterns.push((start, end, language)),
                    None => drop(lookup.whole.insert(name, language)),
                }
            }
            lookup.programs.extend(entry.shebangs.iter().map(|s| (s.as_str(), language)));
            lookup.names.insert(lower(&entry.id), language);
            for word in entry.lsp_ids.iter().chain(&entry.aliases) {
                lookup.names.entry(lower(word)).or_insert(language);
            }
        }
        // A file extension is also a name for its language, unless another language has that name.
        for (extension, language) in &lookup.extensions {
            lookup.names.entry(extension.clone()).or_insert(*language);
        }
        lookup
    })
}

impl Language {
    /// Detects the language of a file from `file_name` (its last component) and `text`, which may
    /// be only the start of the file.
    ///
    /// The order is: modeline, file name, content (where languages share an extension, what the
    /// lines start with decides), extension, `#!` line. A wildcard file name such as `Dockerfile.*`
    /// does not apply if the extension belongs to another kind of file.
    #[must_use]
    pub fn detect(file_name: &str, text: &str) -> Option<Self> {
        let mut end = text.len().min(INSPECTED_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let head = &text[..end];
        by_modeline(head, end == text.len())
            .or_else(|| by_name(file_name, head))
            .or_else(|| by_content(file_name, head))
            .or_else(|| by_extension(file_name, head))
            .or_else(|| by_shebang(head.lines().next().unwrap_or_default()))
    }

    /// The language with the given name: an id, an editor's language id, an alias or a file
    /// extension, in any case.
    #[must_use]
    pub fn by_name(word: &str) -> Option<Self> {
        lookup().names.get(&word.trim().to_ascii_lowercase()).copied()
    }
}

fn by_name(file_name: &str, head: &str) -> Option<Language> {
    let lookup = lookup();
    lookup.whole.get(file_name).copied().or_else(|| {
        let fits = |(start, end, language): &&(&str, &str, Language)| {
            file_name.len() > start.len() + end.len()
                && file_name.starts_with(start)
                && file_name.ends_with(end)
                && !(end.is_empty() && has_other_extension(file_name, *language, head))
        };
        lookup.patterns.iter().find(fits).map(|(_, _, language)| *language)
    })
}

/// Whether the extension belongs to another kind of file and the text does not start like
/// `language`: `Dockerfile.md` is prose, but `Dockerfile.go` may be a Dockerfile for a Go program.
fn has_other_extension(file_name: &str, language: Language, head: &str) -> bool {
    let extension = file_name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if non_language_extensions().contains(&extension) {
        return true;
    }
    let is_other = lookup().extensions.get(&extension).is_some_and(|other| *other != language);
    is_other && !starts_with_first_word(language, head)
}

fn starts_with_first_word(language: Language, head: &str) -> bool {
    let is_comment = |line: &&str| language.line_comments().iter().any(|c| line.starts_with(c));
    let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
    let first =
        lines.find(|line| !is_comment(line)).and_then(|line| line.split_whitespace().next());
    let matches_word = |word: &String| first.is_some_and(|first| word.eq_ignore_ascii_case(first));
    language.row().entry.first_words.iter().any(matches_word)
}

fn by_content(file_name: &str, head: &str) -> Option<Language> {
    let (_, extension) = file_name.rsplit_once('.')?;
    Language::all().find(|l| {
        l.row().entry.content.as_ref().is_some_and(|content| {
            let shared = content.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension));
            let matches_word = |line: &str| content.line_starts.iter().any(|s| line.starts_with(s));
            shared
                && (head.lines().any(|line| matches_word(line.trim_start()))
                    || content.begins.iter().any(|begin| head.starts_with(begin)))
        })
    })
}

fn by_extension(file_name: &str, head: &str) -> Option<Language> {
    let (_, extension) = file_name.rsplit_once('.')?;
    let language = lookup().extensions.get(&extension.to_ascii_lowercase()).copied()?;
    let entry = &language.row().entry;
    let is_first = entry.extensions.first().is_some_and(|own| own.eq_ignore_ascii_case(extension));
    let text = head.trim_start_matches('\u{feff}').trim_start();
    // `.props` are properties of many programs.
    let is_other = !is_first
        && !text.is_empty()
        && entry.begins.as_ref().is_some_and(|begins| !text.starts_with(begins));
    (!is_other).then_some(language)
}

fn by_shebang(first_line: &str) -> Option<Language> {
    let command = first_line.strip_prefix("#!")?;
    let mut words = command.split_ascii_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|w| !w.starts_with('-') && !w.contains('='))?;
    }
    let unversioned = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let programs = &lookup().programs;
    programs.get(program).or_else(|| programs.get(unversioned)).copied()
}

/// The language in a modeline: `-*- mode: ruby -*-`, `vim: set ft=ruby :`.
fn by_modeline(head: &str, whole: bool) -> Option<Language> {
    let first = head.lines().take(MODELINES);
    let last = head.lines().rev().take(if whole { MODELINES } else { 0 });
    first.chain(last).find_map(|line| emacs_mode(line).or_else(|| vim_type(line)))
}

fn emacs_mode(line: &str) -> Option<Language> {
    let (_, rest) = line.split_once("-*-")?;
    let (content, _) = rest.split_once("-*-")?;
    let mode = content.split(';').find_map(|part| match part.split_once(':') {
        Some((key, value)) => key.trim().eq_ignore_ascii_case("mode").then_some(value),
        None => Some(part),
    })?;
    let mode = mode.trim();
    Language::by_name(mode).or_else(|| Language::by_name(mode.strip_suffix("-mode")?))
}

fn vim_type(line: &str) -> Option<Language> {
    let start = [" vim:", " vi:", " ex:", "\tvim:"].into_iter().find_map(|m| {
        let at = line.find(m)?;
        Some(at + m.len())
    })?;
    line[start..].split([' ', ':', '\t']).find_map(|word| {
        let (key, value) = word.split_once('=')?;
        matches!(key, "ft" | "filetype" | "syntax").then(|| Language::by_name(value))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str, text: &str) -> Option<&'static str> {
        Language::detect(name, text).map(Language::id)
    }

    #[test]
    fn names_extensions_and_shebangs_decide_in_that_order() {
        assert_eq!(id("a.PY", ""), Some("python"));
        assert_eq!(id("SConstruct", "#!/bin/node"), Some("python"));
        assert_eq!(id("a.tsx", ""), Some("tsx"));
        assert_eq!(id("run", "#!/usr/bin/env -S A=1 python3.11 -u"), Some("python"));
        assert_eq!(id("run", "#!/usr/bin/node"), Some("javascript"));
        assert_eq!(id("run", "#!/usr/bin/env"), None);
        assert_eq!(id("a.h", "int f(void);\n/* class */\n"), Some("c"));
        assert_eq!(id("a.h", "#pragma once\nnamespace a {\n"), Some("cpp"));
        assert_eq!(id("a.c", "namespace a {\n"), Some("c"));
        assert_eq!(id("py", ""), None);
        assert_eq!(id("a.txt", ""), None);
    }

    #[test]
    fn wildcard_file_names_match() {
        assert_eq!(id("Dockerfile", ""), Some("dockerfile"));
        assert_eq!(id("Dockerfile.dev", ""), Some("dockerfile"));
        assert_eq!(id("Dockerfile.", ""), None);
        assert_eq!(id("dockerfile", ""), Some("dockerfile"));
        assert_eq!(id("Dockerfile-prod", ""), Some("dockerfile"));
        assert_eq!(id("Dockerfile.in", ""), Some("dockerfile"));
        assert_eq!(id("prod.Dockerfile", ""), Some("dockerfile"));
        assert_eq!(id("Containerfile.x", ""), Some("dockerfile"));
        assert_eq!(id("Makefile.am", ""), Some("make"));
        assert_eq!(id("Cargo.lock", ""), Some("toml"));
        assert_eq!(id("tsconfig.json", ""), Some("jsonc"));
        assert_eq!(id("tsconfig.build.json", ""), Some("jsonc"));
        assert_eq!(id("package.json", ""), Some("json"));
    }

    #[test]
    fn other_extensions_win_over_wildcards() {
        assert_eq!(id("Dockerfile.txt", "FROM a\n"), None);
        assert_eq!(id("Dockerfile.dockerignore", ""), None);
        assert_eq!(id("Dockerfile.x.dockerignore", "*\n"), None);
        assert_eq!(id("Dockerfile.tmLanguage", ""), None);
        assert_eq!(id("Dockerfile.md", "# Files\n\nFROM says\n"), Some("markdown"));
        assert_eq!(id("Dockerfile.5.md", "% A\n\nFROM\n"), Some("markdown"));
        assert_eq!(id("Dockerfile-prod.json", "{}"), Some("json"));
        assert_eq!(id("Dockerfile.go", "package main\n"), Some("go"));
        assert_eq!(id("Dockerfile.go", "# a\n\nfrom golang:1 as b\n"), Some("dockerfile"));
        assert_eq!(id("Makefile.toml", ""), Some("toml"));
        assert_eq!(id("Makefile.PL", "#!/usr/bin/perl"), None);
    }

    #[test]
    fn other_files_have_the_extension_of_a_language() {
        assert_eq!(id("font.props", "SplineFontDB: 3.0\n"), None);
        assert_eq!(id("Directory.Build.props", "\u{feff}\n<Project/>\n"), Some("xml"));
        assert_eq!(id("a.props", ""), Some("xml"));
        assert_eq!(id("a.xml", "broken"), Some("xml"));
        assert_eq!(id("app_de.ts", "<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n"), Some("xml"));
        assert_eq!(id("a.ts", "const a = `\n<?xml version=\"1.0\"?>`;\n"), Some("typescript"));
    }

    #[test]
    fn embedded_only_languages_are_not_detected() {
        assert_eq!(id("a.regex", ""), None);
        assert_eq!(Language::by_name("regex").map(Language::id), Some("regex"));
    }

    #[test]
    fn modelines_win() {
        assert_eq!(id("a.h", "// -*- C++ -*-\nint a;\n"), Some("cpp"));
        assert_eq!(id("a.txt", "# -*- coding: utf-8; mode: ruby -*-\n"), Some("ruby"));
        assert_eq!(id("x", "\n\n# vim: set ts=8 ft=python noet :\n"), Some("python"));
        assert_eq!(id("x.c", "int a;\n/* vim:ft=cpp */\n"), Some("cpp"));
        assert_eq!(id("x.py", "# vim: ft=klingon\n"), Some("python"));
        let deep = format!("{}# vim: ft=ruby\n{}", "\n".repeat(10), "\n".repeat(10));
        assert_eq!(id("x.py", &deep), Some("python"));
        let last = format!("{}# vim: ft=ruby\n", "\n".repeat(10));
        assert_eq!(id("x.py", &last), Some("ruby"));
    }
}
