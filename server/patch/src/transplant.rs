//! The three-way transplant: what `old_text` → `new_text` changes is changed in the
//! file's own lines, and all else keeps the file's bytes.
//!
//! Base is `old_text`, theirs `new_text`, ours the matched part of the file. Lines that
//! base and theirs share stay as the file has them; changed lines are merged with the
//! file's line; new lines take the file's indentation and line ending.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::fold::fold_line;
use crate::indent::IndentMap;
use crate::lines::{Ending, Piece, indent, is_blank};
use crate::similarity::line_ratio;
use crate::tokens;

/// Where `old_text` lies in the matched lines.
pub(crate) struct Graft<'a> {
    pub(crate) base: &'a [Piece<'a>],
    pub(crate) theirs: &'a [Piece<'a>],
    pub(crate) ours: &'a [Piece<'a>],
    /// For each line of base its line of ours. Increasing.
    pub(crate) aligned: &'a [Option<usize>],
    pub(crate) map: &'a IndentMap,
    /// The ending in use around the place.
    pub(crate) near: Ending,
    /// Whether a word changed on both sides, or a line only the file has in the midst of
    /// changed ones, is refused instead of following `new_text`.
    pub(crate) strict: bool,
}

/// Both the patch and the file changed the same words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// Index of the line in base.
    pub(crate) line: usize,
}

struct Built {
    text: String,
    /// The ending the file has there, if the line comes from the file.
    ending: Option<Ending>,
    /// The ending the author wrote.
    wanted: Ending,
}

struct Builder<'a, 'g> {
    graft: &'g Graft<'a>,
    built: Vec<Built>,
    /// Lines of ours that are dealt with.
    used: usize,
    deleted_before: bool,
}

/// The text that replaces the matched lines. O(lines) for patches of ordinary size.
pub(crate) fn transplant(graft: &Graft<'_>) -> Result<String, Conflict> {
    let base: Vec<&str> = graft.base.iter().map(|piece| piece.content).collect();
    let theirs: Vec<&str> = graft.theirs.iter().map(|piece| piece.content).collect();
    let mut builder =
        Builder { graft, built: Vec::with_capacity(theirs.len()), used: 0, deleted_before: false };
    for op in line_ops(&base, &theirs) {
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
    builder.extras(graft.ours.len(), true);
    Ok(finish(graft, builder.built))
}

/// The difference of two texts by line. Of texts with as many lines, line by line if that
/// keeps no fewer, so that a change among equal lines is where its author made it.
pub(crate) fn line_ops(base: &[&str], theirs: &[&str]) -> Vec<DiffOp> {
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

impl Builder<'_, '_> {
    /// Keeps lines that only the file has, up to `until`.
    fn extras(&mut self, until: usize, keep: bool) {
        for line in self.used..until {
            if keep {
                self.file_line(line, Ending::Lf);
            }
        }
        self.used = self.used.max(until);
    }

    fn file_line(&mut self, line: usize, wanted: Ending) {
        let piece = &self.graft.ours[line];
        self.built.push(Built {
            text: piece.content.to_owned(),
            ending: Some(piece.ending),
            wanted,
        });
    }

    fn keep(&mut self, base: usize, theirs: usize) {
        if let Some(line) = self.graft.aligned[base] {
            self.extras(line, true);
            self.file_line(line, self.graft.theirs[theirs].ending);
            self.used = line + 1;
        }
        self.deleted_before = false;
    }

    /// Passes over the file's lines before the one of `base`, which goes. Blank ones
    /// between two lines that go, go with them.
    fn pass_extras(&mut self, base: usize, line: usize) -> Result<(), Conflict> {
        let blank = (self.used..line).all(|extra| self.graft.ours[extra].is_blank());
        if self.deleted_before && !blank && self.graft.strict {
            return Err(Conflict { line: base });
        }
        self.extras(line, !(self.deleted_before && blank));
        Ok(())
    }

    fn delete(&mut self, base: usize) -> Result<(), Conflict> {
        if let Some(line) = self.graft.aligned[base] {
            self.pass_extras(base, line)?;
            self.used = line + 1;
            self.deleted_before = true;
        }
        Ok(())
    }

    fn insert(&mut self, theirs: usize) {
        let piece = &self.graft.theirs[theirs];
        let text = if piece.is_blank() {
            piece.content.to_owned()
        } else {
            let indent = indent(piece.content);
            self.graft.map.apply(indent) + &piece.content[indent.len()..]
        };
        self.built.push(Built { text, ending: None, wanted: piece.ending });
    }

    fn replace(
        &mut self,
        old: usize,
        old_len: usize,
        new: usize,
        new_len: usize,
    ) -> Result<(), Conflict> {
        let base: Vec<&str> =
            self.graft.base[old..old + old_len].iter().map(|piece| piece.content).collect();
        let theirs: Vec<&str> =
            self.graft.theirs[new..new + new_len].iter().map(|piece| piece.content).collect();
        let mut pairs = pairing(&base, &theirs).into_iter().peekable();
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
        let Some(line) = self.graft.aligned[base] else {
            self.insert(theirs);
            return Ok(());
        };
        self.extras(line, true);
        let (old, new, file) =
            (&self.graft.base[base], &self.graft.theirs[theirs], &self.graft.ours[line]);
        let text = match self.merged(old.content, new.content, file.content) {
            Some(text) => text,
            None => return Err(Conflict { line: base }),
        };
        self.built.push(Built { text, ending: Some(file.ending), wanted: new.ending });
        self.used = line + 1;
        self.deleted_before = false;
        Ok(())
    }

    fn merged(&self, old: &str, new: &str, file: &str) -> Option<String> {
        if is_blank(new) || (old == file && *self.graft.map == IndentMap::Identity) {
            return Some(new.to_owned());
        }
        // The file's blanks at either end may be any of Unicode's.
        let body_of = |line: &'_ str| line.trim_matches(char::is_whitespace).to_owned();
        let (base, ours) = (body_of(old), body_of(file));
        let file_lead = &file[..file.len() - file.trim_start().len()];
        let file_tail = &file[file.trim_end().len()..];
        let (old_tail, new_tail) = (&old[old.trim_end().len()..], &new[new.trim_end().len()..]);
        let lead = if indent(new) == indent(old) {
            file_lead.to_owned()
        } else {
            self.graft.map.apply(indent(new))
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
            match tokens::merge(&base, &ours, body) {
                Some(merged) => merged,
                None if self.graft.strict => return None,
                None => body.to_owned(),
            }
        };
        Some(lead + &body + tail)
    }
}

/// The longest lists whose lines are paired by likeness; longer ones go by order.
const PAIRED: usize = 48;

/// Lines less alike are not versions of each other.
const VERSION: f64 = 0.4;

/// Pairs of lines (old, new) that are versions of each other, increasing in both.
pub(crate) fn pairing(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    if old.len() == new.len() || old.len() > PAIRED || new.len() > PAIRED {
        return (0..old.len().min(new.len())).map(|line| (line, line)).collect();
    }
    let likeness: Vec<Vec<f64>> =
        old.iter().map(|a| new.iter().map(|b| line_ratio(a, b)).collect()).collect();
    // The pairs with the greatest sum of likeness that keep the order.
    let mut best = vec![vec![0.0f64; new.len() + 1]; old.len() + 1];
    let paired = |best: &[Vec<f64>], i: usize, j: usize| {
        let alike = likeness[i][j];
        if alike >= VERSION { alike + best[i + 1][j + 1] } else { 0.0 }
    };
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            best[i][j] = paired(&best, i, j).max(best[i + 1][j]).max(best[i][j + 1]);
        }
    }
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < old.len() && j < new.len() {
        if likeness[i][j] >= VERSION && best[i][j] <= paired(&best, i, j) {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[i][j] <= best[i + 1][j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    if pairs.is_empty() {
        // Nothing is alike; what comes first takes the place of what was first.
        pairs.extend((!old.is_empty() && !new.is_empty()).then_some((0, 0)));
    }
    pairs
}

/// Joins the lines, each with the ending that belongs there.
fn finish(graft: &Graft<'_>, built: Vec<Built>) -> String {
    let ends =
        |pieces: &[Piece<'_>]| pieces.last().is_some_and(|piece| piece.ending != Ending::None);
    let (base_ends, theirs_end, ours_end) =
        (ends(graft.base), ends(graft.theirs), ends(graft.ours));
    let closed = if base_ends == theirs_end { ours_end } else { theirs_end };
    let known = |ending: &Option<Ending>| ending.filter(|&ending| ending != Ending::None);
    let following = built.iter().find_map(|line| known(&line.ending));
    let mut current = following.or(Some(graft.near).filter(|&ending| ending != Ending::None));
    let count = built.len();
    let mut result = String::new();
    for (index, line) in built.into_iter().enumerate() {
        result.push_str(&line.text);
        let own = known(&line.ending);
        let foreign_cr = line.ending.is_none() && line.wanted == Ending::Cr;
        let ending = match own {
            Some(ending) => {
                current = Some(ending);
                ending
            }
            None if foreign_cr => Ending::Cr,
            None => current.unwrap_or(if line.wanted == Ending::None {
                Ending::Lf
            } else {
                line.wanted
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
    use crate::lines::pieces;

    fn graft(old: &str, new: &str, file: &str, map: IndentMap) -> String {
        let (base, theirs, ours) = (pieces(old), pieces(new), pieces(file));
        let aligned: Vec<Option<usize>> = (0..base.len()).map(Some).collect();
        let graft = Graft {
            base: &base,
            theirs: &theirs,
            ours: &ours,
            aligned: &aligned,
            map: &map,
            near: Ending::Lf,
            strict: false,
        };
        transplant(&graft).expect("no conflict")
    }

    #[test]
    fn endings_are_the_files() {
        assert_eq!(
            graft("a\nb\n", "a\nx\ny\n", "a\r\nb\r\n", IndentMap::Identity),
            "a\r\nx\r\ny\r\n"
        );
        assert_eq!(
            graft("a\nb\nc\n", "a\nb\nx\nc\n", "a\r\nb\nc\r", IndentMap::Identity),
            "a\r\nb\nx\nc\r"
        );
        assert_eq!(graft("a\n", "b\n", "a", IndentMap::Identity), "b");
        assert_eq!(graft("a", "b\n", "a", IndentMap::Identity), "b\n");
        assert_eq!(graft("a\n", "a\nb\n", "a", IndentMap::Identity), "a\nb");
        assert_eq!(graft("a\n", "", "a\r\n", IndentMap::Identity), "");
    }

    #[test]
    fn blanks_at_the_end_stay_on_kept_lines() {
        assert_eq!(graft("a\nb\n", "a\nc\n", "a  \nb\t\n", IndentMap::Identity), "a  \nc\n");
        assert_eq!(
            graft("a\na\na\n", "a\nc\na\n", "a \na\na  \n", IndentMap::Identity),
            "a \nc\na  \n"
        );
    }

    #[test]
    fn typography_stays_where_it_was_not_touched() {
        assert_eq!(
            graft("say \"a\" b\n", "say \"a\" c\n", "say “a” b\n", IndentMap::Identity),
            "say “a” c\n"
        );
    }
}
