//! One maker per class: changes the file or the patch, and computes the expected result.

use patch::Patch;

use crate::cases::{Answer, Base, joined, mapped};
use crate::random::Random;
use crate::script::{Step, run};

pub(crate) fn exact(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    Some((base.with(base.block()), base.patch(), base.answer(base.block())))
}

pub(crate) fn fragment(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let text = base.with(base.block());
    let line = random.pick(base.block())?.trim();
    let chars: Vec<char> = line.chars().collect();
    let from = random.below(chars.len());
    let part: String = chars[from..].iter().take(8 + random.below(30)).collect();
    let part = part.trim();
    if part.len() < 6 || text.matches(part).count() != 1 {
        return None;
    }
    let new = format!("{part}_{}", random.below(1000));
    let answer = Answer::Text(text.replace(part, &new));
    Some((text, Patch::new(part, new), answer))
}

pub(crate) fn no_final_newline(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let whole = [&base.lines[..base.from], base.block()].concat();
    let text = joined(&whole);
    let new = [&base.lines[..base.from], &base.new_block()[..]].concat();
    let last = base.script.last()?;
    if *last == Step::Delete {
        return None;
    }
    Some((
        text.strip_suffix('\n')?.to_owned(),
        base.patch(),
        Answer::Text(joined(&new).strip_suffix('\n')?.to_owned()),
    ))
}

fn with_crlf(text: &str) -> String {
    text.replace('\n', "\r\n")
}

pub(crate) fn crlf(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let answer = with_crlf(&base.with(&base.new_block()));
    Some((with_crlf(&base.with(base.block())), base.patch(), Answer::Text(answer)))
}

pub(crate) fn mixed_endings(
    random: &mut Random,
    base: &Base<'_>,
) -> Option<(String, Patch, Answer)> {
    if base.script.iter().any(|step| matches!(step, Step::Insert(_))) {
        return None;
    }
    let endings: Vec<&str> =
        base.lines.iter().map(|_| if random.chance(40) { "\r\n" } else { "\n" }).collect();
    let (mut text, mut answer) = (String::new(), String::new());
    for (at, (line, ending)) in base.lines.iter().zip(&endings).enumerate() {
        text.push_str(&format!("{line}{ending}"));
        let step = at
            .checked_sub(base.from)
            .and_then(|at| base.script.get(at).filter(|_| at < base.to - base.from));
        match step {
            Some(step) => {
                for line in run(&vec![step.clone()], std::slice::from_ref(line)) {
                    answer.push_str(&format!("{line}{ending}"));
                }
            }
            None => answer.push_str(&format!("{line}{ending}")),
        }
    }
    Some((text, base.patch(), Answer::Text(answer)))
}

pub(crate) fn bom(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let text = joined(&base.lines[base.from..]);
    let answer = joined(&[&base.new_block()[..], &base.lines[base.to..]].concat());
    Some((format!("\u{feff}{text}"), base.patch(), Answer::Text(format!("\u{feff}{answer}"))))
}

/// The blanks at the ends of the file's lines stay on lines that are kept.
pub(crate) fn trailing_blanks(
    random: &mut Random,
    base: &Base<'_>,
) -> Option<(String, Patch, Answer)> {
    let mut any = false;
    let block: Vec<String> = base
        .block()
        .iter()
        .zip(&base.script)
        .map(|(line, step)| {
            if *step == Step::Keep && random.chance(50) && line.trim_end() == line {
                any = true;
                format!("{line}{}", random.pick(&["  ", " ", "\t"]).unwrap_or(&" "))
            } else {
                line.clone()
            }
        })
        .collect();
    any.then(|| (base.with(&block), base.patch(), base.answer(&block)))
}

/// The blanks that all written lines begin with.
pub(crate) fn common_indent(block: &[String]) -> usize {
    let indent = |line: &String| line.len() - line.trim_start_matches(' ').len();
    block.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0)
}

fn only_spaces(block: &[String]) -> bool {
    block.iter().all(|line| !line.contains('\t'))
}

pub(crate) fn outdented(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let common = common_indent(base.block());
    if common == 0 || !only_spaces(base.block()) {
        return None;
    }
    // A blank alone is a mark of context that was lost, or of an indentation that was taken for one.
    let by = if random.chance(70) { common } else { 2 + random.below(common) };
    if common < 2 || by > common {
        return None;
    }
    let strip = |line: &String| line.get(by..).unwrap_or("").to_owned();
    let patch =
        Patch::new(joined(&mapped(base.block(), strip)), joined(&mapped(&base.new_block(), strip)));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

pub(crate) fn deeper(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let prefix = " ".repeat(*random.pick(&[2, 4, 8])?);
    let add = |line: &String| {
        if line.trim().is_empty() { line.clone() } else { format!("{prefix}{line}") }
    };
    let patch =
        Patch::new(joined(&mapped(base.block(), add)), joined(&mapped(&base.new_block(), add)));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

/// A line with each `unit` blanks of its indentation as a tab.
fn tabbed(line: &str, unit: usize) -> Option<String> {
    let rest = line.trim_start_matches(' ');
    let width = line.len() - rest.len();
    (width.is_multiple_of(unit) && !rest.starts_with('\t'))
        .then(|| "\t".repeat(width / unit) + rest)
}

fn all_tabbed(lines: &[String], unit: usize) -> Option<Vec<String>> {
    lines.iter().map(|line| tabbed(line, unit)).collect()
}

/// Whether a block shows its unit, so that tabs can be told from blanks.
fn levels(block: &[String], unit: usize) -> bool {
    let mut widths: Vec<usize> = block
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .collect();
    widths.sort_unstable();
    widths.dedup();
    widths.len() > 1
        && widths.windows(2).any(|pair| pair[1] - pair[0] == unit)
        && widths.iter().all(|width| width.is_multiple_of(unit))
}

pub(crate) fn file_tabs(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    if !levels(base.block(), 4) {
        return None;
    }
    let block = all_tabbed(base.block(), 4)?;
    let around =
        |lines: &[String]| mapped(lines, |line| tabbed(line, 4).unwrap_or_else(|| line.clone()));
    let tabbed = Base {
        name: base.name,
        lines: [around(&base.lines[..base.from]), block.clone(), around(&base.lines[base.to..])]
            .concat(),
        from: base.from,
        to: base.to,
        script: base.script.clone(),
        words: base.words,
    };
    Some((tabbed.with(&block), base.patch(), tabbed.answer(&block)))
}

pub(crate) fn patch_tabs(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    if !levels(base.block(), 4) {
        return None;
    }
    let patch = Patch::new(
        joined(&all_tabbed(base.block(), 4)?),
        joined(&all_tabbed(&base.new_block(), 4)?),
    );
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

pub(crate) fn half_units(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    if !levels(base.block(), 4) || !only_spaces(base.block()) {
        return None;
    }
    let half = |line: &String| {
        let rest = line.trim_start_matches(' ');
        " ".repeat((line.len() - rest.len()) / 2) + rest
    };
    let patch =
        Patch::new(joined(&mapped(base.block(), half)), joined(&mapped(&base.new_block(), half)));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

/// As when a selection begins after the indentation of its first line.
pub(crate) fn first_line(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let cut = |text: String| text.trim_start_matches([' ', '\t']).trim_end_matches('\n').to_owned();
    if !base.block()[0].starts_with([' ', '\t'])
        || base.script[0] != Step::Keep
        || base.script.last() == Some(&Step::Delete)
    {
        return None;
    }
    let patch = Patch::new(cut(joined(base.block())), cut(joined(&base.new_block())));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

pub(crate) fn typography(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let kind = random.below(3);
    let fancy = |line: &String| match kind {
        0 => line.replace('"', "”"),
        1 => line.replace('\'', "’"),
        _ => {
            let rest = line.trim_start();
            format!(
                "{}{}",
                &line[..line.len() - rest.len()],
                rest.replace(" - ", " – ").replace(' ', "\u{a0}")
            )
        }
    };
    let block = mapped(base.block(), fancy);
    if block == base.block() || base.script.iter().any(|step| matches!(step, Step::Insert(lines) if lines.iter().any(|line| *line != fancy(line)))) {
        return None;
    }
    Some((base.with(&block), base.patch(), base.answer(&block)))
}

pub(crate) fn inner_blanks(
    random: &mut Random,
    base: &Base<'_>,
) -> Option<(String, Patch, Answer)> {
    // Inside of a literal of several lines blanks are part of the text.
    let before = joined(&base.lines[..base.from]);
    if ["\"\"\"", "'''"].iter().any(|quote| before.matches(quote).count() % 2 == 1) {
        return None;
    }
    let mut any = false;
    let block = mapped(base.block(), |line| {
        let rest = line.trim_start();
        if rest.contains(['"', '\'', '`']) || !rest.contains(" = ") || random.chance(30) {
            return line.clone();
        }
        any = true;
        format!("{}{}", &line[..line.len() - rest.len()], rest.replacen(" = ", "   = ", 1))
    });
    any.then(|| (base.with(&block), base.patch(), base.answer(&block)))
}

pub(crate) fn blank_dropped(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let blank = |line: &&String| line.trim().is_empty();
    let runs = base.block().windows(4).any(|lines| lines.iter().filter(blank).count() > 3);
    let removed = base
        .block()
        .iter()
        .zip(&base.script)
        .any(|(line, step)| line.trim().is_empty() && *step != Step::Keep);
    if !base.block().iter().any(|line| blank(&line))
        || runs
        || removed
        || base.script.contains(&Step::Delete)
    {
        return None;
    }
    let written =
        |lines: &[String]| lines.iter().filter(|line| !blank(line)).cloned().collect::<Vec<_>>();
    let patch = Patch::new(joined(&written(base.block())), joined(&written(&base.new_block())));
    // Where a blank line goes next to an inserted one is not the matter here.
    if base
        .script
        .iter()
        .zip(base.block().iter().skip(1))
        .any(|(step, next)| matches!(step, Step::Insert(_)) && blank(&next))
    {
        return None;
    }
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

pub(crate) fn blank_added(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    if base.script.iter().any(|step| matches!(step, Step::Insert(_) | Step::Delete)) {
        return None;
    }
    let at = 1 + random.below(base.block().len() - 1);
    let with_blank = |lines: &[String]| [&lines[..at], &[String::new()], &lines[at..]].concat();
    let patch =
        Patch::new(joined(&with_blank(base.block())), joined(&with_blank(&base.new_block())));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

pub(crate) fn comment_unquoted(
    random: &mut Random,
    base: &Base<'_>,
) -> Option<(String, Patch, Answer)> {
    let kept: Vec<usize> = (0..base.block().len())
        .filter(|&line| base.script[line] == Step::Keep && !base.block()[line].trim().is_empty())
        .collect();
    let &line = random.pick(&kept)?;
    let mark = if base.name.ends_with(".py") { "#" } else { "//" };
    let mut block = base.block().to_vec();
    block[line] = format!("{}  {mark} note {}", block[line].trim_end(), random.below(1000));
    Some((base.with(&block), base.patch(), base.answer(&block)))
}

/// One letter of a word of a kept line dropped, doubled, swapped or mistaken.
pub(crate) fn typo(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let kept: Vec<usize> =
        (0..base.block().len()).filter(|&line| base.script[line] == Step::Keep).collect();
    let &line = random.pick(&kept)?;
    let content = &base.block()[line];
    let chars: Vec<char> = content.chars().collect();
    let inside: Vec<usize> = (1..chars.len().saturating_sub(2))
        .filter(|&at| {
            chars[at - 1..=at + 2].iter().all(char::is_ascii_lowercase)
                && chars[at] != chars[at + 1]
                && at > 1
                && chars[at - 2].is_ascii_lowercase()
        })
        .collect();
    let &at = random.pick(&inside)?;
    let mut wrong = chars.clone();
    match random.below(4) {
        0 => {
            wrong.remove(at);
        }
        1 => wrong.insert(at, chars[at]),
        2 => wrong.swap(at, at + 1),
        _ => wrong[at] = if chars[at] == 'q' { 'z' } else { 'q' },
    }
    let mistaken: String = wrong.into_iter().collect();
    if mistaken == *content {
        return None;
    }
    let mut old = base.block().to_vec();
    old[line] = mistaken;
    let new = run(&base.script, &old);
    let answer = base.with(&base.new_block());
    // With a look-alike in the file nobody can be sure.
    let sure = !has_look_alike(base);
    Some((
        base.with(base.block()),
        Patch::new(joined(&old), joined(&new)),
        if sure { Answer::Text(answer) } else { Answer::Either(answer) },
    ))
}

/// Whether another place shares most lines with the block.
pub(crate) fn has_look_alike(base: &Base<'_>) -> bool {
    let block: Vec<&str> =
        base.block().iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let file: Vec<(usize, &str)> = base
        .lines
        .iter()
        .map(|line| line.trim())
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .collect();
    file.windows(block.len()).any(|window| {
        let apart = window[0].0 >= base.to || window[window.len() - 1].0 < base.from;
        let shared = window.iter().filter(|(_, line)| block.contains(line)).count();
        apart && 10 * shared >= 6 * block.len()
    })
}

pub(crate) fn escaped_quotes(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let old = joined(base.block());
    if !old.contains('"') || old.contains('\\') {
        return None;
    }
    let escaped = |text: String| text.replace('"', "\\\"");
    let patch = Patch::new(escaped(old), escaped(joined(&base.new_block())));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

pub(crate) fn line_numbers(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let numbered = |lines: &[String]| {
        lines
            .iter()
            .enumerate()
            .map(|(at, line)| format!("{:>6}\t{line}\n", base.from + at + 1))
            .collect::<String>()
    };
    let patch = Patch::new(numbered(base.block()), numbered(&base.new_block()));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

pub(crate) fn stale_hint(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let hint = (base.from + 1).saturating_sub(random.below(60)) + random.below(60);
    Some((base.with(base.block()), base.patch().at_line(hint.max(1)), base.answer(base.block())))
}

/// The file with a second block, and where that begins.
fn doubled(random: &mut Random, base: &Base<'_>, twin: &[String]) -> Option<(Vec<String>, usize)> {
    let after = base.to + 2 + random.below(base.lines.len().checked_sub(base.to + 3)?);
    Some(([&base.lines[..after], twin, &base.lines[after..]].concat(), after))
}

pub(crate) fn duplicate(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let (lines, _) = doubled(random, base, base.block())?;
    Some((joined(&lines), base.patch(), Answer::Unchanged))
}

pub(crate) fn duplicate_hint(
    random: &mut Random,
    base: &Base<'_>,
) -> Option<(String, Patch, Answer)> {
    let (lines, after) = doubled(random, base, base.block())?;
    let second = random.chance(50);
    let (at, count) = (if second { after } else { base.from }, base.block().len());
    let answer = [&lines[..at], &base.new_block()[..], &lines[at + count..]].concat();
    Some((joined(&lines), base.patch().at_line(at + 1), Answer::Text(joined(&answer))))
}

/// Twice, in other indentations than the patch has.
pub(crate) fn duplicate_shifted(
    random: &mut Random,
    base: &Base<'_>,
) -> Option<(String, Patch, Answer)> {
    let add = |by: usize| {
        mapped(base.block(), |line| {
            if line.trim().is_empty() { line.clone() } else { format!("{}{line}", " ".repeat(by)) }
        })
    };
    let (lines, _) = doubled(random, base, &add(4))?;
    let added = |lines: Vec<String>| {
        mapped(
            &lines,
            |line| if line.trim().is_empty() { line.clone() } else { format!("  {line}") },
        )
    };
    let patch = Patch::new(joined(&added(base.block().to_vec())), joined(&added(base.new_block())));
    Some((joined(&lines), patch, Answer::Unchanged))
}

pub(crate) fn deleted(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    Some((base.with(&[]), base.patch(), Answer::Unchanged))
}

pub(crate) fn already_applied(_: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    Some((base.with(&base.new_block()), base.patch(), Answer::Unchanged))
}

/// The answer if `old_text` has `line` differently: where it is only quoted, what changes may be certain without
/// it, and the line stays as the file has it.
fn answer_beside(base: &Base<'_>, line: usize) -> Answer {
    match base.script[line] {
        Step::Keep => Answer::Either(base.with(&base.new_block())),
        _ => Answer::Unchanged,
    }
}

/// Whether the lines of two blocks are nested alike, whatever the widths.
fn same_nesting(a: &[String], b: &[String]) -> bool {
    let widths = |block: &[String]| -> Vec<usize> {
        let widths: Vec<usize> = block
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start().len())
            .collect();
        let mut ranks = widths.clone();
        ranks.sort_unstable();
        ranks.dedup();
        widths.iter().map(|width| ranks.binary_search(width).unwrap_or(0)).collect()
    };
    widths(a) == widths(b)
}

/// Whether a line goes on with brackets that were opened above it.
fn is_inside_brackets(base: &Base<'_>, line: usize) -> bool {
    let above = base.lines[..line].iter().flat_map(|line| line.chars());
    let depth = above.fold(0i32, |depth, c| match c {
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    });
    depth != 0
}

/// One line at another depth than in the file.
pub(crate) fn renested(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    if !base.name.ends_with(".py") {
        return None;
    }
    let written: Vec<usize> =
        (1..base.block().len()).filter(|&line| base.block()[line].trim().len() > 2).collect();
    let &line = random.pick(&written)?;
    let mut old = base.block().to_vec();
    old[line] = if random.chance(50) && old[line].starts_with("    ") {
        old[line][4..].to_owned()
    } else {
        format!("    {}", old[line])
    };
    // Within brackets the depth of a line says nothing.
    let outside = |block: &[String]| -> Vec<String> {
        (0..block.len())
            .filter(|line| !is_inside_brackets(base, base.from + line))
            .map(|line| block[line].clone())
            .collect()
    };
    let opened =
        base.block()[..line].iter().flat_map(|line| line.chars()).fold(0i32, |depth, c| {
            (depth + i32::from("([{".contains(c)) - i32::from(")]}".contains(c))).max(0)
        });
    if same_nesting(&outside(&old), &outside(base.block()))
        || opened > 0
        || old[line].trim().starts_with(['#', ')', ']', '}'])
    {
        return None;
    }
    Some((
        base.with(base.block()),
        Patch::new(joined(&old), joined(&run(&base.script, &old))),
        answer_beside(base, line),
    ))
}

/// A kept line of the block is another by now.
pub(crate) fn stale_line(random: &mut Random, base: &Base<'_>) -> Option<(String, Patch, Answer)> {
    let kept: Vec<usize> = (0..base.block().len())
        .filter(|&line| base.script[line] == Step::Keep && !base.block()[line].trim().is_empty())
        .collect();
    let &line = random.pick(&kept)?;
    let mut block = base.block().to_vec();
    let indent = block[line].len() - block[line].trim_start().len();
    block[line] = format!("{}{}", &block[line][..indent], random.pick(&base.lines)?.trim());
    let Answer::Text(answer) = base.answer(&block) else { return None };
    (block != base.block()).then(|| (base.with(&block), base.patch(), Answer::Either(answer)))
}

pub(crate) fn joined_lines(
    random: &mut Random,
    base: &Base<'_>,
) -> Option<(String, Patch, Answer)> {
    let line = random.below(base.block().len() - 1);
    let mut old = base.block().to_vec();
    if old[line].trim().is_empty() || old[line + 1].trim().is_empty() {
        return None;
    }
    let next = old.remove(line + 1);
    old[line] = format!("{} {}", old[line], next.trim());
    let was = old[line].clone();
    old[line] = was.replacen(was.trim(), "replaced();", 1);
    let new = joined(&old);
    old[line] = was.clone();
    // Where lines end is layout in most languages; that both are replaced is right then.
    let mut block = base.block().to_vec();
    block.remove(line + 1);
    block[line] = was.replacen(was.trim(), "replaced();", 1);
    let answer = Answer::Either(base.with(&block));
    Some((base.with(base.block()), Patch::new(joined(&old), new), answer))
}

pub(crate) fn case_changed(
    random: &mut Random,
    base: &Base<'_>,
) -> Option<(String, Patch, Answer)> {
    let line = random.below(base.block().len());
    let mut old = base.block().to_vec();
    let upper = old[line].to_uppercase();
    // What looks like a code fence around the text is dropped with its name.
    if upper == old[line] || upper.contains("```") {
        return None;
    }
    old[line] = upper;
    Some((
        base.with(base.block()),
        Patch::new(joined(&old), joined(&run(&base.script, &old))),
        answer_beside(base, line),
    ))
}
