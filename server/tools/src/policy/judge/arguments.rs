//! What the rules about files say of the arguments of commands.
//!
//! What a program does with its arguments is not known, so each of them counts as read, and as
//! written or deleted where the program is known for that. A plain argument is judged like the file
//! it names; everything that could turn out to name a file that is denied or asked for only keeps
//! rules from allowing the command.

use std::path::{Component, Path, PathBuf};

use workspace::{FilePath, Folder};

use super::super::overlap::overlap;
use super::super::rules::{Ruling, Verdict};
use super::super::shell::{Line, Word, base_name};
use super::Judge;
use crate::{Command, EffectKind};

/// They only print their arguments.
const PRINTING: &[&str] = &["echo", "printf", "true", "false", ":", "test", "["];
/// They tell the names in a folder, or go by what is set up in it, whatever they are told.
const NAMING: &[&str] = &[
    "basename", "cargo", "cd", "dir", "dirname", "du", "find", "git", "ls", "make", "mkdir", "npm",
    "popd", "pushd", "pwd", "rmdir", "stat", "touch", "tree",
];
/// They read files, but no folders.
const READING: &[&str] = &[
    "cat",
    "cmp",
    "cut",
    "egrep",
    "fgrep",
    "file",
    "grep",
    "head",
    "jq",
    "md5sum",
    "nl",
    "od",
    "sha256sum",
    "sort",
    "strings",
    "tac",
    "tail",
    "uniq",
    "wc",
    "xxd",
    "zcat",
    "zgrep",
];
/// They read all that is below the working folder if they are told no other.
const SEARCHING: &[&str] = &["ack", "ag", "pt", "rg", "rgrep", "ug", "ugrep"];
const WRITING: &[&str] =
    &["chmod", "chown", "cp", "dd", "install", "ln", "patch", "rsync", "tee", "touch", "truncate"];
const DELETING: &[&str] = &["mv", "rm", "rmdir", "shred", "unlink"];
/// Those that write everything they name.
const ONLY_WRITING: &[&str] = &["tee", "touch", "truncate"];

/// Longest argument that is looked up.
const LONGEST: usize = 4_000;
/// Most letters of an option that may have a value behind them.
const MOST_LETTERS: usize = 40;

/// A command line in its place.
pub(super) struct Arguments<'a> {
    pub(super) index: usize,
    pub(super) command: &'a Command,
    pub(super) line: &'a Line,
    /// Whether rules allow it as far as its words go.
    pub(super) is_allowed: bool,
    /// Whether a network, or all files, are in its reach.
    pub(super) is_unconfined: bool,
}

impl Judge<'_> {
    /// Everything that is against the arguments of a line.
    pub(super) fn arguments(&mut self, of: &Arguments<'_>) {
        if self.rules.restricts(EffectKind::Read) {
            self.strictly(of, EffectKind::Read, &of.command.cwd);
            let within = of.command.cwd.absolute().join("x");
            if of.is_allowed && self.on(EffectKind::Read, &within, false).verdict != Verdict::Allow
            {
                self.not_allowed(of, "what is in its folder may not all be read");
            }
        }
        if !of.is_allowed && !self.rules.restricts(EffectKind::Delete) {
            return;
        }
        for words in of.line.may_run() {
            let program = words.first().and_then(Word::known).map_or("", base_name);
            if PRINTING.contains(&program) {
                continue;
            }
            for word in words.iter().skip(1) {
                if let Word::Known(word) = word {
                    self.named_by(of, program, word);
                }
                if of.is_allowed && self.may_name(program, word) {
                    self.not_allowed(of, "an argument may name a file that rules restrict");
                }
            }
        }
        if of.is_allowed && self.rules.restricts(EffectKind::Read) {
            self.takes_tree(of);
        }
    }

    fn not_allowed(&mut self, of: &Arguments<'_>, why: &str) {
        let why = format!("no rule can allow the line: {why}");
        self.against(of.index, Ruling { verdict: Verdict::Ask, why });
    }

    /// What is against a file that is named by an argument of `program`.
    fn named_by(&mut self, of: &Arguments<'_>, program: &str, word: &str) {
        if word.len() > LONGEST {
            return;
        }
        let is_plain = !word.starts_with('-');
        if is_plain {
            let kind = if DELETING.contains(&program) && program != "mv" {
                EffectKind::Delete
            } else if ONLY_WRITING.contains(&program) {
                EffectKind::Write
            } else {
                EffectKind::Read
            };
            self.at(of, kind, word);
        }
        if !of.is_allowed {
            return;
        }
        let (by_writing, by_deleting) = (WRITING.contains(&program), DELETING.contains(&program));
        let kind = match program {
            _ if by_deleting => EffectKind::Delete,
            _ if NAMING.contains(&program) || READING.contains(&program) => EffectKind::Read,
            _ => EffectKind::Write,
        };
        for (place, part) in parts(word).into_iter().enumerate() {
            let is_whole = place == 0;
            let kinds = if is_whole && is_plain { [kind, kind] } else { [kind, EffectKind::Read] };
            for kind in kinds {
                // Any word is a file that could be made; only programs that do so count.
                let is_there = || {
                    let path = self.located(of, part);
                    path.is_some_and(|path| self.request.snapshot.metadata(&path).is_ok())
                };
                let counts = kind == EffectKind::Read || by_writing || by_deleting || is_there();
                if counts && self.is_against(of, kind, part) {
                    self.not_allowed(of, "an argument names a file that rules restrict");
                }
            }
        }
    }

    /// The file of the workspace that `text` names.
    fn located(&self, of: &Arguments<'_>, text: &str) -> Option<FilePath> {
        let written = of.command.cwd.absolute().join(text);
        self.request.snapshot.locate(written.to_str()?).ok()
    }

    /// Adds what is against the file that `text` names.
    fn at(&mut self, of: &Arguments<'_>, kind: EffectKind, text: &str) {
        let plain = plain(&of.command.cwd.absolute().join(text));
        let ruling = self.on(kind, &plain, self.is_guarded(&plain));
        if of.is_allowed || ruling.verdict == Verdict::Deny {
            self.against(of.index, ruling);
        }
        if let Some(path) = self.located(of, text) {
            self.strictly(of, kind, &path);
        }
    }

    /// Adds what is against a file: of a line that is asked for anyway, only what denies it.
    fn strictly(&mut self, of: &Arguments<'_>, kind: EffectKind, path: &FilePath) {
        let known = self.found.len();
        self.path(of.index, kind, path);
        if !of.is_allowed {
            let new = self.found.split_off(known);
            self.found.extend(new.into_iter().filter(|(_, r)| r.verdict == Verdict::Deny));
        }
    }

    fn is_against(&mut self, of: &Arguments<'_>, kind: EffectKind, text: &str) -> bool {
        let known = self.found.len();
        self.at(of, kind, text);
        let is_against = self.found.len() > known;
        self.found.truncate(known);
        is_against
    }

    /// Whether `word` could turn out to name a file that is denied or asked for, in any folder.
    fn may_name(&self, program: &str, word: &Word) -> bool {
        let (text, is_pattern) = match word {
            // Patterns that a program heeds look like those that it does not.
            Word::Known(text) => (text, !program.contains("grep")),
            Word::Files(text) => (text, true),
            Word::Unknown => return false,
        };
        let kind = if DELETING.contains(&program) {
            EffectKind::Delete
        } else if WRITING.contains(&program) {
            EffectKind::Write
        } else {
            EffectKind::Read
        };
        let ruled = self.rules.last_names(kind);
        let may_be = |name: &str| {
            let name = if is_pattern {
                name.to_owned()
            } else {
                name.replace(['*', '?', '[', '{', '\\'], "\0")
            };
            !name.is_empty() && ruled.iter().any(|ruled| overlap(&name, ruled))
        };
        let separates = |c: char| c.is_whitespace() || "/=:@,\"'".contains(c);
        let mut names = text.split(separates);
        let is_option = text.starts_with('-');
        let letters = if is_option { MOST_LETTERS } else { 0 };
        names.any(may_be)
            || text
                .char_indices()
                .take(letters)
                .skip(2)
                .any(|(at, _)| text[at..].split(separates).next().is_some_and(may_be))
    }

    /// Whether a command that a rule with a `*` allows could read all that is in a folder.
    fn takes_tree(&mut self, of: &Arguments<'_>) {
        for command in &of.line.commands {
            let Some(Word::Known(program)) = command.words.first() else { continue };
            if self.rules.allows_exactly(command, of.is_unconfined) {
                continue;
            }
            let program = base_name(program);
            if PRINTING.contains(&program) {
                continue;
            }
            let arguments = &command.words[1..];
            let known = || arguments.iter().filter_map(Word::known);
            let searches = match program {
                "git" => known().any(|word| matches!(word, "grep" | "archive" | "--no-index")),
                _ if program.contains("grep") => known().any(is_recursive),
                _ => false,
            };
            if searches || SEARCHING.contains(&program) {
                self.not_allowed(of, "it reads whole folders, and some files may not be read");
            }
            if NAMING.contains(&program) {
                continue;
            }
            let reads_files = READING.contains(&program);
            let is_unsure = arguments.iter().any(|word| match word {
                Word::Known(word) => {
                    let is_relative = !word.starts_with(['-', '/']);
                    (of.line.changes_folder && is_relative)
                        || (!reads_files && parts(word).iter().any(|part| self.is_folder(of, part)))
                }
                Word::Files(_) => !reads_files || of.line.changes_folder,
                Word::Unknown => true,
            });
            if is_unsure {
                self.not_allowed(of, "it may read whole folders, and some files may not be read");
            }
        }
    }

    /// Whether `text` names a folder, or may name one around the workspace.
    fn is_folder(&self, of: &Arguments<'_>, text: &str) -> bool {
        match self.located(of, text) {
            Some(path) => Folder::open(&path).is_ok(),
            None => text.starts_with('/') || text.split('/').any(|name| name == ".."),
        }
    }
}

/// Whether an option makes `grep` read folders.
fn is_recursive(option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(long) => ["rec", "deref", "dir"].iter().any(|start| long.starts_with(start)),
        None => option.starts_with('-') && option.contains(['r', 'R', 'd']),
    }
}

/// The parts of an argument that may be paths, itself first: values of options and of assignments,
/// what follows an `@` or stands in a list.
fn parts(word: &str) -> Vec<&str> {
    let mut parts = vec![word];
    parts.extend(word.split(['=', ':', '@', ',']).skip(1).filter(|part| !part.is_empty()));
    parts.extend(word.split(['=', ':', '@', ',']).next().filter(|part| part.len() < word.len()));
    if word.starts_with('-') && !word.starts_with("--") {
        let values = word.char_indices().skip(2).take(MOST_LETTERS);
        parts.extend(values.map(|(at, _)| &word[at..]));
    }
    parts
}

/// `path` as its text has it, without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}
