//! Which language a file is in.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::Language;
use crate::language::other_extensions;

/// How much of a file is looked at for its language, in bytes.
const HEAD: usize = 64 << 10;
/// Lines at the start and the end of a file that may hold a modeline, as Vim has it.
const MODELINES: usize = 5;

/// What files' names say: endings in lower case, whole names, names with a `*`, programs.
struct Names {
    extensions: HashMap<String, Language>,
    whole: HashMap<&'static str, Language>,
    patterns: Vec<(&'static str, &'static str, Language)>,
    programs: HashMap<&'static str, Language>,
    spoken: HashMap<String, Language>,
}

fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names = Names {
            extensions: HashMap::new(),
            whole: HashMap::new(),
            patterns: Vec::new(),
            programs: HashMap::new(),
            spoken: HashMap::new(),
        };
        for language in Language::with_parts() {
            let entry = &language.row().entry;
            let lower = |word: &String| word.to_ascii_lowercase();
            for extension in &entry.extensions {
                names.extensions.entry(lower(extension)).or_insert(language);
            }
            for name in &entry.file_names {
                match name.split_once('*') {
                    Some((start, end)) => names.patterns.push((start, end, language)),
                    None => drop(names.whole.insert(name, language)),
                }
            }
            names.programs.extend(entry.shebangs.iter().map(|s| (s.as_str(), language)));
            names.spoken.insert(lower(&entry.id), language);
            for word in entry.lsp_ids.iter().chain(&entry.aliases) {
                names.spoken.entry(lower(word)).or_insert(language);
            }
        }
        // An ending names a language too, where nothing else goes by that name.
        for (extension, language) in &names.extensions {
            names.spoken.entry(extension.clone()).or_insert(*language);
        }
        names
    })
}

impl Language {
    /// The language of a file called `file_name` (its last component) whose text is `text`, or
    /// starts with it. A modeline decides before the name, the name before the extension, the
    /// extension before a `#!` line; where languages share an extension, what the lines start with
    /// decides. A name that stands for many, `Dockerfile.*`, is none with the extension of another
    /// kind of file.
    #[must_use]
    pub fn detect(file_name: &str, text: &str) -> Option<Self> {
        let mut end = text.len().min(HEAD);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let head = &text[..end];
        by_modeline(head, end == text.len())
            .or_else(|| by_name(file_name, head))
            .or_else(|| by_content(file_name, head))
            .or_else(|| by_extension(file_name))
            .or_else(|| by_shebang(head.lines().next().unwrap_or_default()))
    }

    /// The language that people call `word`: an id, an editor's name for it, an ending of file
    /// names; whatever its case.
    #[must_use]
    pub fn called(word: &str) -> Option<Self> {
        names().spoken.get(&word.trim().to_ascii_lowercase()).copied()
    }
}

fn by_name(file_name: &str, head: &str) -> Option<Language> {
    let names = names();
    names.whole.get(file_name).copied().or_else(|| {
        let fits = |(start, end, language): &&(&str, &str, Language)| {
            file_name.len() > start.len() + end.len()
                && file_name.starts_with(start)
                && file_name.ends_with(end)
                && !(end.is_empty() && is_another_kind(file_name, *language, head))
        };
        names.patterns.iter().find(fits).map(|(_, _, language)| *language)
    })
}

/// Whether the extension says that a file is no `language`, and the text does not say that it is: a
/// `Dockerfile.md` tells of one, a `Dockerfile.go` may be one for a program in Go.
fn is_another_kind(file_name: &str, language: Language, head: &str) -> bool {
    let extension = file_name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if other_extensions().contains(&extension) {
        return true;
    }
    let is_other = names().extensions.get(&extension).is_some_and(|other| *other != language);
    is_other && !begins_with_its_word(language, head)
}

fn begins_with_its_word(language: Language, head: &str) -> bool {
    let is_comment = |line: &&str| language.line_comments().iter().any(|c| line.starts_with(c));
    let mut lines = head.lines().map(str::trim).filter(|line| !line.is_empty());
    let first =
        lines.find(|line| !is_comment(line)).and_then(|line| line.split_whitespace().next());
    let says = |word: &String| first.is_some_and(|first| word.eq_ignore_ascii_case(first));
    language.row().entry.first_words.iter().any(says)
}

fn by_content(file_name: &str, head: &str) -> Option<Language> {
    let (_, extension) = file_name.rsplit_once('.')?;
    Language::all().find(|l| {
        l.row().entry.content.as_ref().is_some_and(|content| {
            let shared = content.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension));
            let says = |line: &str| content.line_starts.iter().any(|s| line.starts_with(s));
            shared && head.lines().any(|line| says(line.trim_start()))
        })
    })
}

fn by_extension(file_name: &str) -> Option<Language> {
    let (_, extension) = file_name.rsplit_once('.')?;
    names().extensions.get(&extension.to_ascii_lowercase()).copied()
}

fn by_shebang(first_line: &str) -> Option<Language> {
    let command = first_line.strip_prefix("#!")?;
    let mut words = command.split_ascii_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|w| !w.starts_with('-') && !w.contains('='))?;
    }
    let unversioned = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let programs = &names().programs;
    programs.get(program).or_else(|| programs.get(unversioned)).copied()
}

/// What a line for editors says: `-*- mode: ruby -*-`, `vim: set ft=ruby :`.
fn by_modeline(head: &str, whole: bool) -> Option<Language> {
    let first = head.lines().take(MODELINES);
    let last = head.lines().rev().take(if whole { MODELINES } else { 0 });
    first.chain(last).find_map(|line| emacs_mode(line).or_else(|| vim_type(line)))
}

fn emacs_mode(line: &str) -> Option<Language> {
    let (_, rest) = line.split_once("-*-")?;
    let (said, _) = rest.split_once("-*-")?;
    let mode = said.split(';').find_map(|part| match part.split_once(':') {
        Some((key, value)) => key.trim().eq_ignore_ascii_case("mode").then_some(value),
        None => Some(part),
    })?;
    let mode = mode.trim();
    Language::called(mode).or_else(|| Language::called(mode.strip_suffix("-mode")?))
}

fn vim_type(line: &str) -> Option<Language> {
    let start = [" vim:", " vi:", " ex:", "\tvim:"].into_iter().find_map(|m| {
        let at = line.find(m)?;
        Some(at + m.len())
    })?;
    line[start..].split([' ', ':', '\t']).find_map(|word| {
        let (key, value) = word.split_once('=')?;
        matches!(key, "ft" | "filetype" | "syntax").then(|| Language::called(value))?
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
    fn names_with_a_star_stand_for_many() {
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
    fn the_extension_of_another_kind_of_file_says_more_than_a_star() {
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
    fn what_is_part_of_others_is_no_files_language() {
        assert_eq!(id("a.regex", ""), None);
        assert_eq!(Language::called("regex").map(Language::id), Some("regex"));
    }

    #[test]
    fn modelines_say_it_first() {
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
