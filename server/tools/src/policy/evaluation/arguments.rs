//! Checks the arguments of commands against the rules about files.
//!
//! What a program does with its arguments is unknown, so each counts as read, and as written or
//! deleted if the program is known for that. A plain argument is checked like the file that it
//! names. An argument that may name a restricted file only prevents rules from allowing the
//! command.

use std::path::{Component, Path, PathBuf};

use workspace::{FilePath, Folder};

use super::super::overlap::patterns_overlap;
use super::super::rules::{Ruling, Verdict};
use super::super::shell::{LineAnalysis, Word, base_name};
use super::Evaluation;
use crate::{Command, EffectKind};

/// Programs that only print their arguments.
const PRINTING_PROGRAMS: &[&str] = &["echo", "printf", "true", "false", ":", "test", "["];
/// Programs that list names in a folder, or use the project in it, whatever their arguments.
const LISTING_PROGRAMS: &[&str] = &[
    "basename", "cargo", "cd", "dir", "dirname", "du", "find", "git", "ls", "make", "mkdir", "npm",
    "popd", "pushd", "pwd", "rmdir", "stat", "touch", "tree",
];
/// Programs that read files, but no folders.
const READING_PROGRAMS: &[&str] = &[
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
/// Programs that search the working folder by default.
const SEARCHING_PROGRAMS: &[&str] = &["ack", "ag", "pt", "rg", "rgrep", "ug", "ugrep"];
/// Programs that write files that they name.
const WRITING_PROGRAMS: &[&str] =
    &["chmod", "chown", "cp", "dd", "install", "ln", "patch", "rsync", "tee", "touch", "truncate"];
/// Programs that delete or move files that they name.
const DELETING_PROGRAMS: &[&str] = &["mv", "rm", "rmdir", "shred", "unlink"];
/// Programs that write every file that they name.
const CREATING_PROGRAMS: &[&str] = &["tee", "touch", "truncate"];

/// Limit for arguments that are resolved as paths, in bytes.
const MAX_ARGUMENT_BYTES: usize = 4_000;
/// Limit for the letters of an option after which a value may start.
const MAX_OPTION_LETTERS: usize = 40;

/// A command line whose arguments are checked.
pub(super) struct CommandArguments<'a> {
    pub(super) index: usize,
    pub(super) command: &'a Command,
    pub(super) line: &'a LineAnalysis,
    /// Whether rules allow its words.
    pub(super) is_allowed: bool,
    /// Whether it can reach the network or write outside the workspace.
    pub(super) is_unconfined: bool,
}

impl Evaluation<'_> {
    /// Adds the objections to the arguments of a line.
    pub(super) fn check_arguments(&mut self, arguments: &CommandArguments<'_>) {
        if self.rules.restricts(EffectKind::Read) {
            self.check_path_of(arguments, EffectKind::Read, &arguments.command.cwd);
            let within = arguments.command.cwd.absolute().join("x");
            if arguments.is_allowed
                && self.path_ruling(EffectKind::Read, &within, false).verdict != Verdict::Allow
            {
                self.object_to_allowing(arguments, "what is in its folder may not all be read");
            }
        }
        if !arguments.is_allowed && !self.rules.restricts(EffectKind::Delete) {
            return;
        }
        for words in arguments.line.may_run() {
            let program = words.first().and_then(Word::known).map_or("", base_name);
            if PRINTING_PROGRAMS.contains(&program) {
                continue;
            }
            for word in words.iter().skip(1) {
                if let Word::Known(word) = word {
                    self.check_argument(arguments, program, word);
                }
                if arguments.is_allowed && self.may_name_restricted(program, word) {
                    self.object_to_allowing(
                        arguments,
                        "an argument may name a file that rules restrict",
                    );
                }
            }
        }
        if arguments.is_allowed && self.rules.restricts(EffectKind::Read) {
            self.check_folder_reads(arguments);
        }
    }

    /// Requires approval although rules allow the words of the line.
    fn object_to_allowing(&mut self, arguments: &CommandArguments<'_>, why: &str) {
        let why = format!("no rule can allow the line: {why}");
        self.object(arguments.index, Ruling { verdict: Verdict::Ask, why });
    }

    /// Checks a file that is named by an argument of `program`.
    fn check_argument(&mut self, arguments: &CommandArguments<'_>, program: &str, word: &str) {
        if word.len() > MAX_ARGUMENT_BYTES {
            return;
        }
        let is_plain = !word.starts_with('-');
        if is_plain {
            let kind = if DELETING_PROGRAMS.contains(&program) && program != "mv" {
                EffectKind::Delete
            } else if CREATING_PROGRAMS.contains(&program) {
                EffectKind::Write
            } else {
                EffectKind::Read
            };
            self.check_file(arguments, kind, word);
        }
        if !arguments.is_allowed {
            return;
        }
        let (by_writing, by_deleting) =
            (WRITING_PROGRAMS.contains(&program), DELETING_PROGRAMS.contains(&program));
        let kind = match program {
            _ if by_deleting => EffectKind::Delete,
            _ if LISTING_PROGRAMS.contains(&program) || READING_PROGRAMS.contains(&program) => {
                EffectKind::Read
            }
            _ => EffectKind::Write,
        };
        for (place, part) in possible_paths(word).into_iter().enumerate() {
            let is_whole = place == 0;
            let kinds = if is_whole && is_plain { [kind, kind] } else { [kind, EffectKind::Read] };
            for kind in kinds {
                // Any word may name a new file; only programs that create files matter.
                let is_there = || {
                    let path = self.located(arguments, part);
                    path.is_some_and(|path| self.request.snapshot.metadata(&path).is_ok())
                };
                let counts = kind == EffectKind::Read || by_writing || by_deleting || is_there();
                if counts && self.is_restricted(arguments, kind, part) {
                    self.object_to_allowing(
                        arguments,
                        "an argument names a file that rules restrict",
                    );
                }
            }
        }
    }

    /// The file of the workspace that `text` names.
    fn located(&self, arguments: &CommandArguments<'_>, text: &str) -> Option<FilePath> {
        let written = arguments.command.cwd.absolute().join(text);
        self.request.snapshot.locate(written.to_str()?).ok()
    }

    /// Adds the objections to an effect on the file that `text` names.
    fn check_file(&mut self, arguments: &CommandArguments<'_>, kind: EffectKind, text: &str) {
        let plain = plain(&arguments.command.cwd.absolute().join(text));
        let ruling = self.path_ruling(kind, &plain, self.is_guarded(&plain));
        if arguments.is_allowed || ruling.verdict == Verdict::Deny {
            self.object(arguments.index, ruling);
        }
        if let Some(path) = self.located(arguments, text) {
            self.check_path_of(arguments, kind, &path);
        }
    }

    /// Adds the objections to an effect on a file. If the line needs approval anyway, only denials.
    fn check_path_of(
        &mut self,
        arguments: &CommandArguments<'_>,
        kind: EffectKind,
        path: &FilePath,
    ) {
        let known = self.objections.len();
        self.check_path(arguments.index, kind, path);
        if !arguments.is_allowed {
            let new = self.objections.split_off(known);
            self.objections.extend(new.into_iter().filter(|(_, r)| r.verdict == Verdict::Deny));
        }
    }

    /// Whether an effect on the file that `text` names meets an objection.
    fn is_restricted(
        &mut self,
        arguments: &CommandArguments<'_>,
        kind: EffectKind,
        text: &str,
    ) -> bool {
        let known = self.objections.len();
        self.check_file(arguments, kind, text);
        let is_against = self.objections.len() > known;
        self.objections.truncate(known);
        is_against
    }

    /// Whether `word` may name a restricted file, in any folder.
    fn may_name_restricted(&self, program: &str, word: &Word) -> bool {
        let (text, is_pattern) = match word {
            // A program's own patterns look like shell patterns.
            Word::Known(text) => (text, !program.contains("grep")),
            Word::Files(text) => (text, true),
            Word::Unknown => return false,
        };
        let kind = if DELETING_PROGRAMS.contains(&program) {
            EffectKind::Delete
        } else if WRITING_PROGRAMS.contains(&program) {
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
            !name.is_empty() && ruled.iter().any(|ruled| patterns_overlap(&name, ruled))
        };
        let separates = |c: char| c.is_whitespace() || "/=:@,\"'".contains(c);
        let mut names = text.split(separates);
        let is_option = text.starts_with('-');
        let letters = if is_option { MAX_OPTION_LETTERS } else { 0 };
        names.any(may_be)
            || text
                .char_indices()
                .take(letters)
                .skip(2)
                .any(|(at, _)| text[at..].split(separates).next().is_some_and(may_be))
    }

    /// Refuses to allow by wildcard a command that may read a whole folder.
    fn check_folder_reads(&mut self, arguments: &CommandArguments<'_>) {
        for command in &arguments.line.commands {
            let Some(Word::Known(program)) = command.words.first() else { continue };
            if self.rules.allows_exactly(command, arguments.is_unconfined) {
                continue;
            }
            let program = base_name(program);
            if PRINTING_PROGRAMS.contains(&program) {
                continue;
            }
            let words = &command.words[1..];
            let known = || words.iter().filter_map(Word::known);
            let searches = match program {
                "git" => known().any(|word| matches!(word, "grep" | "archive" | "--no-index")),
                _ if program.contains("grep") => known().any(is_recursive),
                _ => false,
            };
            if searches || SEARCHING_PROGRAMS.contains(&program) {
                self.object_to_allowing(
                    arguments,
                    "it reads whole folders, and some files may not be read",
                );
            }
            if LISTING_PROGRAMS.contains(&program) {
                continue;
            }
            let reads_files = READING_PROGRAMS.contains(&program);
            let is_unsure = words.iter().any(|word| match word {
                Word::Known(word) => {
                    let is_relative = !word.starts_with(['-', '/']);
                    (arguments.line.changes_folder && is_relative)
                        || (!reads_files
                            && possible_paths(word)
                                .iter()
                                .any(|part| self.is_folder(arguments, part)))
                }
                Word::Files(_) => !reads_files || arguments.line.changes_folder,
                Word::Unknown => true,
            });
            if is_unsure {
                self.object_to_allowing(
                    arguments,
                    "it may read whole folders, and some files may not be read",
                );
            }
        }
    }

    /// Whether `text` names a folder, or may name one outside the workspace.
    fn is_folder(&self, arguments: &CommandArguments<'_>, text: &str) -> bool {
        match self.located(arguments, text) {
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

/// The parts of an argument that may be paths, the whole first: values of options and assignments,
/// what follows an `@`, and list items.
fn possible_paths(word: &str) -> Vec<&str> {
    let mut parts = vec![word];
    parts.extend(word.split(['=', ':', '@', ',']).skip(1).filter(|part| !part.is_empty()));
    parts.extend(word.split(['=', ':', '@', ',']).next().filter(|part| part.len() < word.len()));
    if word.starts_with('-') && !word.starts_with("--") {
        let values = word.char_indices().skip(2).take(MAX_OPTION_LETTERS);
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
