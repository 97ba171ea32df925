//! Three-way merge by lines: applies the difference of `old_text` and `new_text` to the file's own
//! lines. Everything else keeps the file's bytes.
//!
//! In git's terms base is `old_text`, theirs `new_text`, and ours the matched lines of the file.
//! Lines that base and theirs share stay as the file has them. Changed lines are merged with the
//! file's line. New lines get the file's indentation and line ending.
//!
//! A merge is needed because a tolerant match differs from `old_text`. Inserting `new_text` as it is
//! would overwrite differences that the author did not see: trailing blanks, quotes, a comment.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::fold::fold_line;
use crate::indent::IndentMap;
use crate::line_similarity::line_similarity;
use crate::lines::{LineEnding, TextLine, indent, is_blank, trim};
use crate::word_merge;

/// The three sides of a merge.
pub(crate) struct MergeInput<'a> {
    pub(crate) base: &'a [TextLine<'a>],
    pub(crate) theirs: &'a [TextLine<'a>],
    pub(crate) ours: &'a [TextLine<'a>],
    /// For each line of base its line of ours. Strictly increasing, so the merge is one pass.
    pub(crate) aligned: &'a [Option<usize>],
    pub(crate) map: &'a IndentMap,
    /// The line ending around the place, for lines that no line of the file determines.
    pub(crate) default_ending: LineEnding,
    /// Whether to fail if both sides change the same word, or if the file has an extra line between
    /// deleted ones. Otherwise `new_text` wins. Set for matches by similarity.
    pub(crate) refuse_conflicts: bool,
}

/// Both the patch and the file changed the same words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// Index of the line in base.
    pub(crate) line: usize,
}

/// A merged line.
struct OutputLine {
    text: String,
    /// The ending in the file, if the line comes from there.
    file_ending: Option<LineEnding>,
    /// The ending in the patch.
    patch_ending: LineEnding,
}

struct MergeBuilder<'a, 'g> {
    input: &'g MergeInput<'a>,
    output: Vec<OutputLine>,
    /// Lines of ours that are copied, merged or dropped. Never goes back.
    consumed: usize,
    /// Whether the last line of ours that base has was deleted.
    deleted_before: bool,
}

/// Merges; returns the text that replaces the matched lines. O(lines) for ordinary patches.
pub(crate) fn transplant(input: &MergeInput<'_>) -> Result<String, Conflict> {
    let base: Vec<&str> = input.base.iter().map(|text_line| text_line.content).collect();
    let theirs: Vec<&str> = input.theirs.iter().map(|text_line| text_line.content).collect();
    let mut builder = MergeBuilder {
        input,
        output: Vec::with_capacity(theirs.len()),
        consumed: 0,
        deleted_before: false,
    };
    for op in line_diff(&base, &theirs) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                for step in 0..len {
                    builder.keep(old_index + step, new_index + step);
                }
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                for line in old_index..old_index + old_len {
                    builder.delete(line)?;
                }
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                for line in new_index..new_index + new_len {
                    builder.insert(line);
                }
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                builder.replace(old_index, old_len, new_index, new_len)?;
            }
        }
    }
    builder.pass_file_only_lines(input.ours.len(), true);
    Ok(finish(input, builder.output))
}

/// The line diff of two texts.
///
/// Myers' algorithm may attribute a change among equal lines to another of them. If both texts have
/// the same number of lines and a line-by-line comparison keeps as many, that one is used: it shows
/// the change where its author made it.
pub(crate) fn line_diff(base: &[&str], theirs: &[&str]) -> Vec<DiffOp> {
    let ops = capture_diff_slices(Algorithm::Myers, base, theirs);
    if base.len() != theirs.len() {
        return ops;
    }
    let kept: usize = ops
        .iter()
        .filter(|op| matches!(op, DiffOp::Equal { .. }))
        .map(|op| op.old_range().len())
        .sum();
    let in_place = base.iter().zip(theirs).filter(|(a, b)| a == b).count();
    if in_place < kept {
        return ops;
    }
    (0..base.len())
        .map(|at| match base[at] == theirs[at] {
            true => DiffOp::Equal { old_index: at, new_index: at, len: 1 },
            false => DiffOp::Replace { old_index: at, old_len: 1, new_index: at, new_len: 1 },
        })
        .collect()
}

impl MergeBuilder<'_, '_> {
    /// Passes the lines up to `until` that only the file has; copies them if `keep`.
    fn pass_file_only_lines(&mut self, until: usize, keep: bool) {
        for line in self.consumed..until {
            if keep {
                self.push_file_line(line, LineEnding::Lf);
            }
        }
        self.consumed = self.consumed.max(until);
    }

    fn push_file_line(&mut self, line: usize, patch_ending: LineEnding) {
        let text_line = &self.input.ours[line];
        self.output.push(OutputLine {
            text: text_line.content.to_owned(),
            file_ending: Some(text_line.ending),
            patch_ending,
        });
    }

    fn keep(&mut self, base: usize, theirs: usize) {
        if let Some(line) = self.input.aligned[base] {
            self.pass_file_only_lines(line, true);
            self.push_file_line(line, self.input.theirs[theirs].ending);
            self.consumed = line + 1;
        }
        self.deleted_before = false;
    }

    /// Passes the lines that only the file has before a deleted line. Blank lines between two deleted
    /// lines are deleted with them; other lines were not seen by the author and stay.
    fn pass_before_deleted(&mut self, base: usize, line: usize) -> Result<(), Conflict> {
        let blank = (self.consumed..line).all(|extra| self.input.ours[extra].is_blank());
        if self.deleted_before && !blank && self.input.refuse_conflicts {
            return Err(Conflict { line: base });
        }
        self.pass_file_only_lines(line, !(self.deleted_before && blank));
        Ok(())
    }

    fn delete(&mut self, base: usize) -> Result<(), Conflict> {
        if let Some(line) = self.input.aligned[base] {
            self.pass_before_deleted(base, line)?;
            self.consumed = line + 1;
            self.deleted_before = true;
        }
        Ok(())
    }

    fn insert(&mut self, theirs: usize) {
        let text_line = &self.input.theirs[theirs];
        let text = if text_line.is_blank() {
            text_line.content.to_owned()
        } else {
            let indent = indent(text_line.content);
            self.input.map.apply(indent) + &text_line.content[indent.len()..]
        };
        self.output.push(OutputLine { text, file_ending: None, patch_ending: text_line.ending });
    }

    fn replace(
        &mut self,
        old: usize,
        old_len: usize,
        new: usize,
        new_len: usize,
    ) -> Result<(), Conflict> {
        let base: Vec<&str> =
            self.input.base[old..old + old_len].iter().map(|text_line| text_line.content).collect();
        let theirs: Vec<&str> = self.input.theirs[new..new + new_len]
            .iter()
            .map(|text_line| text_line.content)
            .collect();
        let mut pairs = pair_versions(&base, &theirs).into_iter().peekable();
        let mut next = 0;
        for line in 0..old_len {
            match pairs.next_if(|pair| pair.0 == line) {
                Some((_, with)) => {
                    (next..with).for_each(|theirs| self.insert(new + theirs));
                    next = with + 1;
                    self.change(old + line, new + with)?;
                }
                None => self.delete(old + line)?,
            }
        }
        (next..new_len).for_each(|theirs| self.insert(new + theirs));
        Ok(())
    }

    fn change(&mut self, base: usize, theirs: usize) -> Result<(), Conflict> {
        let Some(line) = self.input.aligned[base] else {
            self.insert(theirs);
            return Ok(());
        };
        self.pass_file_only_lines(line, true);
        let (old, new, file) =
            (&self.input.base[base], &self.input.theirs[theirs], &self.input.ours[line]);
        let text = match self.merge_line(old.content, new.content, file.content) {
            Some(text) => text,
            None => return Err(Conflict { line: base }),
        };
        self.output.push(OutputLine {
            text,
            file_ending: Some(file.ending),
            patch_ending: new.ending,
        });
        self.consumed = line + 1;
        self.deleted_before = false;
        Ok(())
    }

    fn merge_line(&self, old: &str, new: &str, file: &str) -> Option<String> {
        if is_blank(new) || (old == file && *self.input.map == IndentMap::Identity) {
            return Some(new.to_owned());
        }
        // Trim all Unicode whitespace: the file may be indented with no-break spaces.
        let body_of = |line: &'_ str| line.trim_matches(char::is_whitespace).to_owned();
        let (base, ours) = (body_of(old), body_of(file));
        let file_lead = &file[..file.len() - file.trim_start().len()];
        let file_tail = &file[file.trim_end().len()..];
        let (old_tail, new_tail) = (&old[old.trim_end().len()..], &new[new.trim_end().len()..]);
        let lead = if indent(new) == indent(old) {
            file_lead.to_owned()
        } else {
            self.input.map.apply(indent(new))
        };
        let tail = if new_tail == old_tail && fold_line(old_tail) == fold_line(file_tail) {
            file_tail
        } else {
            new_tail
        };
        let body = new[indent(new).len()..].trim_end();
        let body = if base == ours {
            body.to_owned()
        } else {
            match word_merge::merge(&base, &ours, body) {
                Some(merged) => merged,
                None if self.input.refuse_conflicts => return None,
                None => body.to_owned(),
            }
        };
        Some(lead + &body + tail)
    }
}

/// Longer lists are paired by position, because pairing by similarity is quadratic.
const MAX_PAIRED_LINES: usize = 48;

/// Less similar lines are not versions of each other.
const MIN_VERSION_SIMILARITY: f64 = 0.4;

/// Pairs of lines (old, new) that are versions of each other, increasing in both.
///
/// Lists of equal length pair by position: an author who changes n lines into n lines nearly always
/// changes each of them.
pub(crate) fn pair_versions(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    if old.len() == new.len() || old.len() > MAX_PAIRED_LINES || new.len() > MAX_PAIRED_LINES {
        return (0..old.len().min(new.len())).map(|line| (line, line)).collect();
    }
    let similarity: Vec<Vec<f64>> =
        old.iter().map(|a| new.iter().map(|b| line_similarity(a, b)).collect()).collect();
    // Dynamic programming, as for the longest common subsequence: best[i][j] is the greatest sum of
    // similarity over pairs from old[i..] and new[j..].
    let mut best = vec![vec![0.0f64; new.len() + 1]; old.len() + 1];
    let paired = |best: &[Vec<f64>], i: usize, j: usize| {
        let alike = similarity[i][j];
        if alike >= MIN_VERSION_SIMILARITY { alike + best[i + 1][j + 1] } else { 0.0 }
    };
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            best[i][j] = paired(&best, i, j).max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < old.len() && j < new.len() {
        if similarity[i][j] >= MIN_VERSION_SIMILARITY && best[i][j] <= paired(&best, i, j) {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i][j] <= best[i + 1][j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    if pairs.is_empty() {
        // No lines are similar: a new line gets the ending of the old one that begins most like it, such
        // as `end` for `end_all`; the first ones if none does.
        let begins_alike = |&(i, j): &(usize, usize)| {
            let (a, b) = (trim(old[i]).chars(), trim(new[j]).chars());
            a.zip(b).take_while(|(a, b)| a == b).count()
        };
        // Of equal ones `max_by_key` returns the last, so it runs backwards.
        let all = (0..old.len()).rev().flat_map(|i| (0..new.len()).rev().map(move |j| (i, j)));
        pairs.extend(all.max_by_key(begins_alike));
    }
    pairs
}

/// Joins the lines. A line from the file keeps its ending; a new one takes that of the line before.
fn finish(input: &MergeInput<'_>, output: Vec<OutputLine>) -> String {
    let ends = |text_lines: &[TextLine<'_>]| {
        text_lines.last().is_some_and(|text_line| text_line.ending != LineEnding::None)
    };
    let (base_ends, theirs_end, ours_end) =
        (ends(input.base), ends(input.theirs), ends(input.ours));
    // The last ending is changed only if the patch changes it.
    let closed = if base_ends == theirs_end { ours_end } else { theirs_end };
    let known = |ending: &Option<LineEnding>| ending.filter(|&ending| ending != LineEnding::None);
    let following = output.iter().find_map(|line| known(&line.file_ending));
    let mut current =
        following.or(Some(input.default_ending).filter(|&ending| ending != LineEnding::None));
    let count = output.len();
    let mut result = String::new();
    for (index, line) in output.into_iter().enumerate() {
        result.push_str(&line.text);
        let own = known(&line.file_ending);
        let foreign_cr = line.file_ending.is_none() && line.patch_ending == LineEnding::Cr;
        let ending = match own {
            Some(ending) => {
                current = Some(ending);
                ending
            }
            None if foreign_cr => LineEnding::Cr,
            None => current.unwrap_or(if line.patch_ending == LineEnding::None {
                LineEnding::Lf
            } else {
                line.patch_ending
            }),
        };
        if index + 1 < count || closed {
            result.push_str(ending.as_str());
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::split_lines;

    fn merge(old: &str, new: &str, file: &str, map: IndentMap) -> String {
        let (base, theirs, ours) = (split_lines(old), split_lines(new), split_lines(file));
        let aligned: Vec<Option<usize>> = (0..base.len()).map(Some).collect();
        let input = MergeInput {
            base: &base,
            theirs: &theirs,
            ours: &ours,
            aligned: &aligned,
            map: &map,
            default_ending: LineEnding::Lf,
            refuse_conflicts: false,
        };
        transplant(&input).expect("no conflict")
    }

    #[test]
    fn endings_are_the_files() {
        assert_eq!(
            merge("a\nb\n", "a\nx\ny\n", "a\r\nb\r\n", IndentMap::Identity),
            "a\r\nx\r\ny\r\n"
        );
        assert_eq!(
            merge("a\nb\nc\n", "a\nb\nx\nc\n", "a\r\nb\nc\r", IndentMap::Identity),
            "a\r\nb\nx\nc\r"
        );
        assert_eq!(merge("a\n", "b\n", "a", IndentMap::Identity), "b");
        assert_eq!(merge("a", "b\n", "a", IndentMap::Identity), "b\n");
        assert_eq!(merge("a\n", "a\nb\n", "a", IndentMap::Identity), "a\nb");
        assert_eq!(merge("a\n", "", "a\r\n", IndentMap::Identity), "");
    }

    #[test]
    fn blanks_at_the_end_stay_on_kept_lines() {
        assert_eq!(merge("a\nb\n", "a\nc\n", "a  \nb\t\n", IndentMap::Identity), "a  \nc\n");
        assert_eq!(
            merge("a\na\na\n", "a\nc\na\n", "a \na\na  \n", IndentMap::Identity),
            "a \nc\na  \n"
        );
    }

    #[test]
    fn typography_stays_where_it_was_not_touched() {
        assert_eq!(
            merge("say \"a\" b\n", "say \"a\" c\n", "say “a” b\n", IndentMap::Identity),
            "say “a” c\n"
        );
    }
}
