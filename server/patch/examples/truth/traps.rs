//! Cases that must be refused: the intended text is deleted or changed, and something similar exists
//! elsewhere.

use patch::Patch;

use crate::cases::{Answer, Base, Maker, joined, mapped};
use crate::random::Random;

pub(crate) const TRAPS: [(&str, Maker); 9] = [
    ("stale_twin_deeper", stale_twin_deeper),
    ("stale_twin_deeper_hint", stale_twin_deeper_hint),
    ("stale_twin_hint", stale_twin_hint),
    ("anchor_elsewhere", anchor_elsewhere),
    ("anchor_missing", anchor_missing),
    ("hint_drift", hint_drift),
    ("twin_word", twin_word),
    ("invented_line", invented_line),
    ("invented_block", invented_block),
];

/// The block with a word of one of its lines changed.
fn changed(random: &mut Random, base: &Base<'_>) -> Option<Vec<String>> {
    let mut block = base.block().to_vec();
    let written: Vec<usize> =
        (0..block.len()).filter(|&line| block[line].trim().len() > 3).collect();
    let &line = random.pick(&written)?;
    let indent = block[line].len() - block[line].trim_start().len();
    let (head, rest) = block[line].split_at(indent);
    let words: Vec<&str> = rest
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.len() > 2)
        .collect();
    let word = (*random.pick(&words)?).to_owned();
    block[line] =
        format!("{head}{}", rest.replacen(&word, &format!("{word}{}", random.below(90) + 10), 1));
    Some(block)
}

/// The file with `own` in place of the block and `twin` somewhere below or above it; the line of
/// `own`, from 0.
fn with_twin(
    random: &mut Random,
    base: &Base<'_>,
    own: &[String],
    twin: &[String],
) -> Option<(Vec<String>, usize)> {
    let lines = [&base.lines[..base.from], own, &base.lines[base.to..]].concat();
    if random.chance(50) {
        let at = base.to + 1 + random.below(lines.len().checked_sub(base.to + 2)?);
        Some(([&lines[..at], twin, &lines[at..]].concat(), base.from))
    } else {
        let at = random.below(base.from.checked_sub(1)?);
        Some(([&lines[..at], twin, &lines[at..]].concat(), base.from + twin.len()))
    }
}

fn shifted(random: &mut Random, block: &[String]) -> Option<Vec<String>> {
    let tabs = block.iter().any(|line| line.starts_with('\t'));
    let by = if tabs { "\t" } else { *random.pick(&["    ", "  ", "        "])? };
    Some(mapped(
        block,
        |line| {
            if line.trim().is_empty() { line.clone() } else { format!("{by}{line}") }
        },
    ))
}

fn stale_twin_deeper(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let (own, twin) = (changed(random, base)?, shifted(random, base.block())?);
    let (lines, _) = with_twin(random, base, &own, &twin)?;
    Some((joined(&lines), base.patch(), Answer::Refused))
}

fn stale_twin_deeper_hint(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let (own, twin) = (changed(random, base)?, shifted(random, base.block())?);
    let (lines, at) = with_twin(random, base, &own, &twin)?;
    Some((joined(&lines), base.patch().at_line(at + 1), Answer::Refused))
}

fn stale_twin_hint(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let own = changed(random, base)?;
    let (lines, at) = with_twin(random, base, &own, base.block())?;
    let patch = Patch { end_line: Some(at + own.len()), ..base.patch().at_line(at + 1) };
    Some((joined(&lines), patch, Answer::Refused))
}

fn is_head(line: &str) -> bool {
    let line = line.trim();
    line.contains('(') && (line.ends_with('{') || line.ends_with(':')) && line.len() > 10
}

/// The head of another block, after the one that is patched.
fn anchor_elsewhere(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let heads: Vec<usize> = (base.to..base.lines.len())
        .filter(|&line| {
            let head = &base.lines[line];
            is_head(head)
                && base.lines.iter().filter(|line| line.trim() == head.trim()).count() == 1
        })
        .collect();
    let &head = random.pick(&heads)?;
    let patch = Patch { within: vec![base.lines[head].trim().to_owned()], ..base.patch() };
    Some((base.with(base.block()), patch, Answer::Refused))
}

fn anchor_missing(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let patch = Patch {
        within: vec![format!("def nowhere_{}(self):", random.below(1000))],
        ..base.patch()
    };
    Some((base.with(base.block()), patch, Answer::Refused))
}

/// Twice, and the line number is off by what came in above.
fn hint_drift(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let (lines, at) = with_twin(random, base, base.block(), base.block())?;
    let drift = 13 + random.below(28);
    let hint = if random.chance(50) { at + 1 + drift } else { (at + 1).checked_sub(drift)? };
    // At the other one's very line nobody could tell.
    if hint == 0 || lines.get(hint - 1..).is_some_and(|there| there.starts_with(base.block())) {
        return None;
    }
    let answer = [&lines[..at], &base.new_block()[..], &lines[at + base.block().len()..]].concat();
    Some((joined(&lines), base.patch().at_line(hint), Answer::Either(joined(&answer))))
}

/// A word of the block is, in the file, another word of the language that differs by one letter.
fn twin_word(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let mut block = base.block().to_vec();
    let text = joined(&base.lines);
    let mut pairs = Vec::new();
    for (line, content) in block.iter().enumerate() {
        for word in content.split(|c: char| !c.is_ascii_alphabetic() && c != '_') {
            for at in 0..word.len() {
                let less = format!("{}{}", &word[..at], &word[at + 1..]);
                for other in base.words.get(&less).into_iter().flatten() {
                    if other != word && !text.contains(other.as_str()) {
                        pairs.push((line, word.to_owned(), other.clone()));
                    }
                }
            }
        }
    }
    let (line, word, other) = random.pick(&pairs)?;
    block[*line] = block[*line].replacen(word.as_str(), other, 1);
    Some((base.with(&block), base.patch(), Answer::Refused))
}

/// Lines that were never in the file, and for them a line that is.
fn invented_line(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let line = random.pick(base.block())?;
    if line.trim().len() < 9 || base.lines.iter().filter(|other| *other == line).count() != 1 {
        return None;
    }
    let indent = &line[..line.len() - line.trim_start().len()];
    let old = format!("{indent}invented_{}(value, {});\n", random.below(1000), random.below(1000));
    Some((joined(&base.lines), Patch::new(old, format!("{line}\n")), Answer::Refused))
}

fn invented_block(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let old: String = (0..2 + random.below(4))
        .map(|at| format!("    let invented_{} = made_up({at});\n", random.below(1000)))
        .collect();
    Some((joined(&base.lines), Patch::new(old, joined(base.block())), Answer::Refused))
}
