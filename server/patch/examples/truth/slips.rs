//! Mistakes that models make in patches, with one correct answer.

use patch::Patch;

use crate::cases::{Answer, Base, Maker, joined, mapped};
use crate::makers::{common_indent, has_look_alike};
use crate::random::Random;
use crate::script::{Step, run};

pub(crate) const SLIPS: [(&str, Maker); 12] = [
    ("numbers_in_other_ways", numbers),
    ("indented_twice", indented_twice),
    ("stripped_line", stripped_line),
    ("stripped_block", stripped_block),
    ("curly_quotes", curly_quotes),
    ("no_break_blanks", no_break_blanks),
    ("literal_tabs", literal_tabs),
    ("html_escaped", html_escaped),
    ("stale_context", stale_context),
    ("elided", elided),
    ("lost_comma", lost_comma),
    ("reformatted", reformatted),
];

type CaseParts = Option<(String, Patch, Answer)>;

fn numbers(random: &mut Random, base: &Base<'_>) -> CaseParts {
    let style = random.below(7);
    let numbered = |lines: &[String]| {
        let number = |(at, line): (usize, &String)| {
            let n = base.from + at + 1;
            match style {
                0 => format!("{n}: {line}\n"),
                1 => format!("{n}|{line}\n"),
                2 => format!("{n}:\t{line}\n"),
                3 => format!("L{n}: {line}\n"),
                4 => format!("{n}. {line}\n"),
                5 => format!("[{n}] {line}\n"),
                _ => format!("{n}:{line}\n"),
            }
        };
        lines.iter().enumerate().map(number).collect::<String>()
    };
    let patch = Patch::new(numbered(base.block()), numbered(&base.new_block()));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

/// The old text without its common indentation, the new one as the file has it.
fn indented_twice(_: &mut Random, base: &Base<'_>) -> CaseParts {
    let common = common_indent(base.block());
    if common < 2 || base.script[0] == Step::Delete {
        return None;
    }
    let old = mapped(base.block(), |line| line.get(common..).unwrap_or("").to_owned());
    let patch = Patch::new(joined(&old), joined(&base.new_block()));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

/// One line without indentation, and two for it with theirs.
fn stripped_line(random: &mut Random, base: &Base<'_>) -> CaseParts {
    let line = base.from + random.below(base.block().len());
    let content = &base.lines[line];
    let trimmed = content.trim_start();
    let text = joined(&base.lines);
    if trimmed.len() < 10 || trimmed == content || text.matches(trimmed).count() != 1 {
        return None;
    }
    let indent = &content[..content.len() - trimmed.len()];
    let new = format!("{content}\n{indent}added_{}();", random.below(1000));
    let lines = [&base.lines[..line], std::slice::from_ref(&new), &base.lines[line + 1..]].concat();
    Some((text, Patch::new(trimmed, new), Answer::Text(joined(&lines))))
}

fn stripped_block(_: &mut Random, base: &Base<'_>) -> CaseParts {
    if base.script[0] == Step::Delete || common_indent(base.block()) == 0 {
        return None;
    }
    let old = mapped(base.block(), |line| line.trim_start().to_owned());
    let patch = Patch::new(joined(&old), joined(&base.new_block()));
    let Answer::Text(answer) = base.answer(base.block()) else { return None };
    Some((base.with(base.block()), patch, Answer::Either(answer)))
}

fn curled(line: &str) -> String {
    let mut open = true;
    line.chars()
        .map(|c| match c {
            '"' => {
                open = !open;
                if open { '”' } else { '“' }
            }
            '\'' => '’',
            c => c,
        })
        .collect()
}

fn curly_quotes(random: &mut Random, base: &Base<'_>) -> CaseParts {
    let quoted: Vec<usize> =
        (0..base.block().len()).filter(|&line| base.block()[line].contains('"')).collect();
    let &line = random.pick(&quoted)?;
    if !base.block().iter().all(|line| line.is_ascii()) {
        return None;
    }
    let mut new = base.new_block();
    let at = new.iter().position(|other| *other == base.block()[line])?;
    let pieces: Vec<&str> = new[at].splitn(2, '"').collect();
    new[at] = format!("{}\"zz{}\", \"{}", pieces[0], random.below(100), pieces[1]);
    let answer = base.with(&new);
    let patch = Patch::new(
        joined(&mapped(base.block(), |line| curled(line))),
        joined(&mapped(&new, |line| curled(line))),
    );
    Some((base.with(base.block()), patch, Answer::Text(answer)))
}

fn no_break_blanks(_: &mut Random, base: &Base<'_>) -> CaseParts {
    if !base.block().iter().all(|line| line.is_ascii()) {
        return None;
    }
    let blank = |line: &String| line.replace(' ', "\u{a0}");
    let patch =
        Patch::new(joined(&mapped(base.block(), blank)), joined(&mapped(&base.new_block(), blank)));
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

fn literal_tabs(_: &mut Random, base: &Base<'_>) -> CaseParts {
    let tabs = base.block().iter().filter(|line| line.starts_with('\t')).count();
    if tabs < 2 || base.block().iter().any(|line| line.contains("\\t")) {
        return None;
    }
    let literal = |line: &String| {
        let rest = line.trim_start_matches('\t');
        "\\t".repeat(line.len() - rest.len()) + rest
    };
    let patch = Patch::new(
        joined(&mapped(base.block(), literal)),
        joined(&mapped(&base.new_block(), literal)),
    );
    Some((base.with(base.block()), patch, base.answer(base.block())))
}

fn html_escaped(_: &mut Random, base: &Base<'_>) -> CaseParts {
    let (old, new) = (joined(base.block()), joined(&base.new_block()));
    if !old.contains(['<', '>', '&', '"']) || old.contains("&amp;") || old.contains("&lt;") {
        return None;
    }
    let escape = |text: &str| {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    Some((
        base.with(base.block()),
        Patch::new(escape(&old), escape(&new)),
        base.answer(base.block()),
    ))
}

/// A line of context that is another by now, well away from what changes.
fn stale_context(random: &mut Random, base: &Base<'_>) -> CaseParts {
    if base.block().len() < 6 || has_look_alike(base) {
        return None;
    }
    let depth = |line: &str| line.len() - line.trim_start().len();
    let least = base
        .block()
        .iter()
        .zip(&base.script)
        .filter(|(_, step)| **step != Step::Keep)
        .map(|(line, _)| depth(line))
        .min()?;
    let free = |line: usize| {
        let block = base.block();
        line > 0
            && line + 1 < block.len()
            && (line - 1..=line + 1).all(|line| base.script[line] == Step::Keep)
            && block[line].trim().len() > 8
            && !block[line].trim().ends_with([':', '{', '('])
            && depth(&block[line]) >= least
    };
    let lines: Vec<usize> = (0..base.block().len()).filter(|&line| free(line)).collect();
    let &line = random.pick(&lines)?;
    // What changes must be the only one of its kind.
    let text = joined(&base.lines);
    let unique = base.block().iter().zip(&base.script).filter(|(_, step)| **step != Step::Keep);
    if unique.into_iter().any(|(line, _)| text.matches(line.trim()).count() != 1) {
        return None;
    }
    let mut block = base.block().to_vec();
    let indent = &block[line][..depth(&block[line])];
    block[line] = format!("{indent}moved_on_{}(other);", random.below(1000));
    let Answer::Text(answer) = base.answer(&block) else { return None };
    Some((base.with(&block), base.patch(), Answer::Text(answer)))
}

/// Lines in the midst of the block are left out of both texts.
fn elided(random: &mut Random, base: &Base<'_>) -> CaseParts {
    let block = base.block();
    let mark = if base.name.ends_with(".py") || base.name.ends_with(".rb") { "#" } else { "//" };
    if block.len() < 7 || base.script[2..block.len() - 2].iter().any(|step| *step != Step::Keep) {
        return None;
    }
    let indent = &block[2][..block[2].len() - block[2].trim_start().len()];
    let elision = match random.below(3) {
        0 => format!("{indent}..."),
        1 => format!("{indent}{mark} ..."),
        _ => format!("{indent}{mark} ... existing code ..."),
    };
    let cut = |script: &[Step], lines: &[String]| {
        let end = block.len() - 2;
        let mut cut = run(&script[..2].to_vec(), &lines[..2]);
        cut.push(elision.clone());
        cut.extend(run(&script[end..].to_vec(), &lines[end..]));
        cut
    };
    let old = cut(&vec![Step::Keep; block.len()], block);
    let new = cut(&base.script, block);
    let text = joined(&base.lines);
    let unique = |lines: &[String]| text.matches(&joined(lines)).count() == 1;
    let Answer::Text(answer) = base.answer(block) else { return None };
    let answer = if unique(&block[..2]) && unique(&block[block.len() - 2..]) {
        Answer::Text(answer)
    } else {
        Answer::Either(answer)
    };
    Some((text, Patch::new(joined(&old), joined(&new)), answer))
}

/// A comma or semicolon at the end of a kept line is lost.
fn lost_comma(random: &mut Random, base: &Base<'_>) -> CaseParts {
    let lines: Vec<usize> = (0..base.block().len())
        .filter(|&line| {
            base.script[line] == Step::Keep && base.block()[line].trim_end().ends_with([',', ';'])
        })
        .collect();
    let &line = random.pick(&lines)?;
    let mut old = base.block().to_vec();
    old[line] = old[line].trim_end().trim_end_matches([',', ';']).to_owned();
    if old[line].trim().len() < 4 || has_look_alike(base) {
        return None;
    }
    let new = run(&base.script, &old);
    Some((
        base.with(base.block()),
        Patch::new(joined(&old), joined(&new)),
        base.answer(base.block()),
    ))
}

/// The file went through a formatter since: quotes, wraps, commas at the end, blanks in brackets.
fn reformatted(random: &mut Random, base: &Base<'_>) -> CaseParts {
    if base.name.ends_with(".md") || has_look_alike(base) {
        return None;
    }
    let kind = random.below(4);
    let mut any = false;
    let mut written = |line: &String| -> String {
        let trimmed = line.trim();
        let plain = !trimmed.contains(['\\', '`', '#'])
            && !trimmed.contains("//")
            && !trimmed.contains("/*");
        if !plain {
            return line.clone();
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let made = match kind {
            // 'a' for "a".
            0 if line.matches('"').count() == 2
                && !line.contains('\'')
                && (base.name.ends_with(".py")
                    || base.name.ends_with(".js")
                    || base.name.ends_with(".ts")) =>
            {
                line.replace('"', "'")
            }
            // Arguments on lines of their own, with a comma at the end.
            1 | 2
                if trimmed.matches('(').count() == 1
                    && trimmed.matches(')').count() == 1
                    && !trimmed.contains(['"', '\'']) =>
            {
                let (open, close) = (trimmed.find('('), trimmed.find(')'));
                match (open, close) {
                    (Some(open), Some(close)) if open + 6 < close => {
                        let inside = trimmed[open + 1..close].trim();
                        let comma = if kind == 1 { "," } else { "" };
                        format!(
                            "{indent}{}\n{indent}    {inside}{comma}\n{indent}{}",
                            &trimmed[..=open],
                            &trimmed[close..]
                        )
                    }
                    _ => line.clone(),
                }
            }
            3 if !trimmed.contains(['"', '\'']) && trimmed.contains(" = ") => {
                line.replace(" = ", "=").replace(", ", ",")
            }
            _ => line.clone(),
        };
        any |= made != *line;
        made
    };
    let old: Vec<String> = base.block().iter().map(&mut written).collect();
    if !any {
        return None;
    }
    // The author writes what is changed as they write the rest.
    let mut new = Vec::new();
    for (line, (step, drifted)) in base.block().iter().zip(base.script.iter().zip(&old)) {
        match step {
            Step::Change { word, other } => {
                if drifted.matches(word.as_str()).count() != line.matches(word.as_str()).count() {
                    return None;
                }
                new.push(drifted.replacen(word.as_str(), other, 1));
            }
            Step::Delete => {}
            Step::Insert(lines) => {
                let indent = &line[..line.len() - line.trim_start().len()];
                new.push(drifted.clone());
                new.extend(lines.iter().map(|inserted| format!("{indent}{inserted}")));
            }
            Step::Keep => new.push(drifted.clone()),
        }
    }
    Some((
        base.with(base.block()),
        Patch::new(joined(&old), joined(&new)),
        base.answer(base.block()),
    ))
}
