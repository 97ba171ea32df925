//! Random edits of a block of lines. Their result is known even if the lines change otherwise.

use crate::random::Random;

/// What happens to one line of the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Keep,
    /// A word becomes another.
    Change {
        word: String,
        other: String,
    },
    Delete,
    /// Lines come after it, in the indentation of the line.
    Insert(Vec<String>),
}

/// One step for each line.
pub(crate) type Script = Vec<Step>;

fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.len() >= 3 && !word.as_bytes()[0].is_ascii_digit())
        .collect()
}

/// A script for a block; `None` if nothing in it can be changed.
pub(crate) fn script(random: &mut Random, block: &[String]) -> Option<Script> {
    let mut script = vec![Step::Keep; block.len()];
    let written: Vec<usize> =
        (0..block.len()).filter(|&line| !block[line].trim().is_empty()).collect();
    for _ in 0..1 + random.below(2) {
        let &line = random.pick(&written)?;
        if has_twin(block, line) {
            continue;
        }
        script[line] = match random.below(5) {
            0 if written.len() > 2 && line != written[0] => Step::Delete,
            1 => Step::Insert(
                (0..1 + random.below(2))
                    .map(|at| format!("inserted_{}({at});", random.below(90_000) + 10_000))
                    .collect(),
            ),
            _ => match random.pick(&words(&block[line])) {
                Some(word) => Step::Change {
                    word: (*word).to_owned(),
                    other: format!("{word}_{}", random.below(900) + 100),
                },
                None => {
                    Step::Insert(vec![format!("inserted_{}();", random.below(90_000) + 10_000)])
                }
            },
        };
    }
    Some(script)
}

/// Whether the block has the line twice, so that an edit of it is ambiguous.
fn has_twin(block: &[String], line: usize) -> bool {
    block.iter().filter(|other| **other == block[line]).count() > 1
}

fn replaced(line: &str, word: &str, other: &str) -> String {
    line.replacen(word, other, 1)
}

/// The block after the script. A changed line keeps its surroundings, an inserted one
/// takes the indentation of the line before.
pub(crate) fn run(script: &Script, block: &[String]) -> Vec<String> {
    let mut result = Vec::new();
    for (step, line) in script.iter().zip(block) {
        match step {
            Step::Keep => result.push(line.clone()),
            Step::Change { word, other } => result.push(replaced(line, word, other)),
            Step::Delete => {}
            Step::Insert(lines) => {
                let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
                result.push(line.clone());
                result.extend(lines.iter().map(|inserted| format!("{indent}{inserted}")));
            }
        }
    }
    result
}
