//! Decides whether `new_text` has the indentation of `old_text` or that of the file, when the two
//! differ.
//!
//! Authors who quote without indentation usually write both texts that way, and `new_text` must be
//! re-indented. Some copy `new_text` with the file's indentation; re-indenting it would indent it
//! twice. The lines that both texts share are the evidence: where old text and file differ in
//! indentation, `new_text` agrees with one of them.

use rustc_hash::FxHashSet;

use crate::lines::{TextLine, indent, trim};
use crate::transplant::{line_diff, pair_versions};
use similar::DiffOp;

/// The text whose indentation `new_text` follows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum IndentSource {
    /// That of `old_text`; also without any evidence.
    OldText,
    /// The file's.
    File,
    /// Some lines follow `old_text` and some the file.
    Mixed,
}

/// Compares the lines of `base` (`old_text`) that `theirs` (`new_text`) keeps or changes with the
/// lines of `ours` (the file) that `aligned` maps them to.
///
/// Kept lines are stronger evidence than changed ones, so changed lines count only if no kept line
/// tells the two apart.
pub(crate) fn indent_source(
    base: &[TextLine<'_>],
    theirs: &[TextLine<'_>],
    ours: &[TextLine<'_>],
    aligned: &[Option<usize>],
) -> IndentSource {
    let words = |text_lines: &[TextLine<'_>]| {
        text_lines.iter().map(|text_line| trim(text_line.content).to_owned()).collect::<Vec<_>>()
    };
    let (old, new) = (words(base), words(theirs));
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
    let (mut kept, mut changed) = (Vec::new(), Vec::new());
    for op in line_diff(&old, &new) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                kept.extend((0..len).map(|step| (old_index + step, new_index + step)));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let pairs = pair_versions(
                    &old[old_index..old_index + old_len],
                    &new[new_index..new_index + new_len],
                );
                changed.extend(pairs.into_iter().map(|(a, b)| (old_index + a, new_index + b)));
            }
            _ => {}
        }
    }
    match judge_pairs(&kept, base, theirs, ours, aligned) {
        None => judge_pairs(&changed, base, theirs, ours, aligned).unwrap_or(IndentSource::OldText),
        Some(source) => source,
    }
}

/// The source that pairs of lines (of `base`, of `theirs`) agree on; `None` without evidence.
fn judge_pairs(
    pairs: &[(usize, usize)],
    base: &[TextLine<'_>],
    theirs: &[TextLine<'_>],
    ours: &[TextLine<'_>],
    aligned: &[Option<usize>],
) -> Option<IndentSource> {
    let quoted: FxHashSet<&str> = base.iter().map(|text_line| text_line.content).collect();
    let (mut author, mut file) = (0, 0);
    for &(old, new) in pairs {
        let Some(line) = aligned.get(old).copied().flatten() else { continue };
        let Some(ours) = ours.get(line) else { continue };
        let is_blank = base[old].is_blank() || ours.is_blank();
        let written = theirs[new].content;
        let (old, new, own) =
            (indent(base[old].content), indent(theirs[new].content), indent(ours.content));
        // Where the two indentations agree, the line is no evidence.
        if old == own || is_blank {
            continue;
        }
        author += usize::from(new == old);
        // A line that `old_text` has too, as deep as here, does not come from the file: of equal lines,
        // such as closing brackets, another one may have been kept.
        file += usize::from(new == own && !quoted.contains(written));
    }
    match (author, file) {
        (0, 0) => None,
        (_, 0) => Some(IndentSource::OldText),
        (0, _) => Some(IndentSource::File),
        _ => Some(IndentSource::Mixed),
    }
}

/// The lines of `base` in the file's indentation.
pub(crate) fn as_in_file(
    base: &[TextLine<'_>],
    ours: &[TextLine<'_>],
    aligned: &[Option<usize>],
) -> Vec<String> {
    let own = |(line, text_line): (usize, &TextLine<'_>)| {
        let there = aligned.get(line).copied().flatten().and_then(|line| ours.get(line));
        match there {
            Some(there) if !text_line.is_blank() => {
                let rest = &text_line.content[indent(text_line.content).len()..];
                format!("{}{rest}", indent(there.content))
            }
            _ => text_line.content.to_owned(),
        }
    };
    base.iter().enumerate().map(own).collect()
}
