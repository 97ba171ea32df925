//! Cases with known answers, made from real files.

use patch::Patch;

use crate::makers::*;
use crate::random::Random;
use crate::script::{Script, run, script};
use crate::slips::SLIPS;
use crate::traps::TRAPS;

/// The expected result of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// This text.
    Text(String),
    /// No change.
    Unchanged,
    /// This text or no change: refusing is as good.
    Either(String),
    /// No change, and no report that it was applied already.
    Refused,
}

#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) class: &'static str,
    pub(crate) file: String,
    pub(crate) text: String,
    pub(crate) patch: Patch,
    pub(crate) answer: Answer,
    /// Whether the last engine reported the patch as already applied.
    pub(crate) claimed: std::cell::Cell<bool>,
}

/// A block of a file that occurs once, and an edit of it.
pub(crate) struct Base<'f> {
    pub(crate) name: &'f str,
    pub(crate) lines: Vec<String>,
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) script: Script,
    /// Words of other files.
    pub(crate) words: &'f Words,
}

/// Maps each word of the files, with one letter removed, to the words that it comes from.
pub(crate) type Words = std::collections::HashMap<String, Vec<String>>;

pub(crate) type Maker = fn(&mut Random, &Base<'_>) -> Option<(String, Patch, Answer)>;

/// Each class with its maker.
pub(crate) const CLASSES: [(&str, Maker); 27] = [
    ("exact", exact),
    ("fragment", fragment),
    ("no_final_newline", no_final_newline),
    ("crlf", crlf),
    ("mixed_endings", mixed_endings),
    ("bom", bom),
    ("trailing_blanks", trailing_blanks),
    ("outdented", outdented),
    ("deeper", deeper),
    ("file_tabs", file_tabs),
    ("patch_tabs", patch_tabs),
    ("unit_2_to_4", half_units),
    ("first_line", first_line),
    ("typography", typography),
    ("inner_blanks", inner_blanks),
    ("blank_dropped", blank_dropped),
    ("blank_added", blank_added),
    ("comment_unquoted", comment_unquoted),
    ("typo", typo),
    ("escaped_quotes", escaped_quotes),
    ("line_numbers", line_numbers),
    ("stale_hint", stale_hint),
    ("duplicate", duplicate),
    ("duplicate_hint", duplicate_hint),
    ("duplicate_shifted", duplicate_shifted),
    ("deleted", deleted),
    ("already_applied", already_applied),
];

/// Classes whose answer is no change, or one of two results.
pub(crate) const HARD: [(&str, Maker); 4] = [
    ("renested", renested),
    ("stale_line", stale_line),
    ("joined_lines", joined_lines),
    ("case_changed", case_changed),
];

/// All classes, in the order of the table.
pub(crate) fn classes() -> impl Iterator<Item = (&'static str, Maker)> {
    CLASSES.into_iter().chain(HARD).chain(SLIPS).chain(TRAPS)
}

/// A case of a class from a file; `None` if the file has nothing for it.
pub(crate) fn case(
    random: &mut Random,
    class: (&'static str, Maker),
    name: &str,
    text: &str,
    words: &Words,
) -> Option<Case> {
    for _ in 0..12 {
        let Some(base) = base(random, name, text, words) else { continue };
        if let Some((text, patch, answer)) = class.1(random, &base) {
            return Some(Case {
                class: class.0,
                file: name.to_owned(),
                text,
                patch,
                answer,
                claimed: false.into(),
            });
        }
    }
    None
}

fn base<'f>(random: &mut Random, name: &'f str, text: &str, words: &'f Words) -> Option<Base<'f>> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let length = 3 + random.below(12);
    let from = random.below(lines.len().checked_sub(length)?);
    let (mut from, mut to) = (from, from + length);
    let blank = |line: usize| lines[line].trim().is_empty();
    while from < to && blank(from) {
        from += 1;
    }
    while to > from && blank(to - 1) {
        to -= 1;
    }
    let block = &lines[from..to];
    let written: usize = block.iter().filter(|line| !line.trim().is_empty()).count();
    let characters: usize = block.iter().map(|line| line.trim().len()).sum();
    if written < 3
        || characters < 40
        || occurrences(&lines, block) != 1
        || text.matches(&*joined(block)).count() != 1
    {
        return None;
    }
    let script = script(random, block)?;
    if run(&script, block) == block {
        return None;
    }
    Some(Base { name, from, to, script, lines, words })
}

/// How often the non-blank lines of a block occur in the file, ignoring blanks.
fn occurrences(lines: &[String], block: &[String]) -> usize {
    let squeezed = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .map(|line| line.split_whitespace().collect::<String>().to_lowercase())
            .filter(|line| !line.is_empty())
            .collect()
    };
    let (file, block) = (squeezed(lines), squeezed(block));
    file.windows(block.len()).filter(|window| *window == block).count()
}

impl Base<'_> {
    pub(crate) fn block(&self) -> &[String] {
        &self.lines[self.from..self.to]
    }

    pub(crate) fn new_block(&self) -> Vec<String> {
        run(&self.script, self.block())
    }

    /// The file with another block in place of its own.
    pub(crate) fn with(&self, block: &[String]) -> String {
        joined(&[&self.lines[..self.from], block, &self.lines[self.to..]].concat())
    }

    pub(crate) fn patch(&self) -> Patch {
        Patch::new(joined(self.block()), joined(&self.new_block()))
    }

    /// The answer if the file's block is `block`, line for line.
    pub(crate) fn answer(&self, block: &[String]) -> Answer {
        Answer::Text(self.with(&run(&self.script, block)))
    }
}

pub(crate) fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

pub(crate) fn mapped(lines: &[String], map: impl FnMut(&String) -> String) -> Vec<String> {
    lines.iter().map(map).collect()
}
