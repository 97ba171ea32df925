//! What a patch does to a place that was found by its tokens.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::Drifted;
use super::scan::{Token, scan};
use crate::lines::{Piece, indent, is_blank, pieces, trim};
use crate::places::Wanted;
use crate::plan::Edit;
use crate::snapshot::Snapshot;
use crate::transplant::{line_ops, pairing};

/// The edits, sorted and disjoint; `None` where what the patch changes has no place of its own in
/// the file.
pub(crate) fn edits<'t>(
    snapshot: &Snapshot<'t>,
    wanted: &Wanted<'_>,
    place: &Drifted<'_, '_, 't>,
) -> Option<Vec<Edit>> {
    let (old, new) = (pieces(&wanted.old), pieces(&wanted.new));
    let before: Vec<&str> = old.iter().map(|piece| trim(piece.content)).collect();
    let after: Vec<&str> = new.iter().map(|piece| trim(piece.content)).collect();
    let ops = line_ops(&before, &after);
    let mut patch = Patched {
        snapshot,
        wanted,
        place,
        old_lines: offsets(&old),
        new_lines: offsets(&new),
        kept: Vec::new(),
        as_in_file: false,
    };
    patch.as_in_file = patch.judge_indentation(&ops, &old, &new)?;
    let mut edits = Vec::new();
    for op in ops {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Insert { old_index, new_index, new_len } => {
                edits.push(patch.insert(old_index, new_index..new_index + new_len)?);
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                edits.push(Edit {
                    range: patch.whole_lines(old_index..old_index + old_len)?,
                    new_text: String::new(),
                });
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                edits.extend(
                    patch
                        .replace(old_index..old_index + old_len, new_index..new_index + new_len)?,
                );
            }
        }
    }
    edits.sort_by_key(|edit| edit.range.start);
    edits.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start).then_some(edits)
}

fn trim_start(line: &str) -> &str {
    &line[indent(line).len()..]
}

/// Where each line begins, and the end of the text.
fn offsets(pieces: &[Piece<'_>]) -> Vec<usize> {
    let mut at = 0;
    let mut result = vec![0];
    for piece in pieces {
        at += piece.content.len() + piece.ending.as_str().len();
        result.push(at);
    }
    result
}

struct Patched<'p, 't> {
    snapshot: &'p Snapshot<'t>,
    wanted: &'p Wanted<'p>,
    place: &'p Drifted<'p, 'p, 't>,
    old_lines: Vec<usize>,
    new_lines: Vec<usize>,
    /// Lines of `new_text` that the file has at the start of lines, with their indentation there.
    kept: Vec<(usize, String)>,
    /// Whether `new_text` has the file's indentation, and not that of `old_text`.
    as_in_file: bool,
}

impl Patched<'_, '_> {
    /// Notes the lines that stay, and whether `new_text` has them as the file does; `None` if it
    /// moves some of them.
    fn judge_indentation(
        &mut self,
        ops: &[DiffOp],
        old: &[Piece<'_>],
        new: &[Piece<'_>],
    ) -> Option<bool> {
        let (mut author, mut file) = (false, false);
        for op in ops {
            let DiffOp::Equal { old_index, new_index, len } = *op else { continue };
            for (mine, theirs) in (old_index..old_index + len).zip(new_index..) {
                if old[mine].is_blank() {
                    continue;
                }
                let (was, is) = (indent(old[mine].content), indent(new[theirs].content));
                let there = self
                    .token(self.tokens(mine..mine + 1).start)
                    .filter(|(_, token)| token.begins_line)
                    .map(|(_, token)| self.indent_at(token.start).to_owned());
                match &there {
                    Some(own) if was != own && is == own => file = true,
                    Some(own) if was != own && is == was => author = true,
                    _ if is != was => return None,
                    _ => {}
                }
                self.kept.extend(there.map(|own| (theirs, own)));
            }
        }
        (!(author && file)).then_some(file)
    }

    fn indent_at(&self, offset: usize) -> &str {
        // A byte order mark belongs to the first token, and not to its line.
        self.snapshot.text.get(self.line_start(offset)..offset).unwrap_or_default()
    }

    fn new_line(&self, line: usize) -> &str {
        self.wanted.new[self.new_lines[line]..self.new_lines[line + 1]]
            .trim_end_matches(['\n', '\r'])
    }

    /// The file's indentation for a line of `new_text`: that of the nearest line as deep, if one
    /// stays.
    fn indent_of(&self, line: usize) -> String {
        let own = indent(self.new_line(line));
        if self.as_in_file {
            return own.to_owned();
        }
        self.kept
            .iter()
            .filter(|(kept, _)| indent(self.new_line(*kept)) == own)
            .min_by_key(|(kept, _)| kept.abs_diff(line))
            .map_or_else(|| self.place.map.apply(own), |(_, there)| there.clone())
    }
    /// The tokens of some lines of `old_text`.
    fn tokens(&self, lines: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let (start, end) = (self.old_lines[lines.start], self.old_lines[lines.end]);
        let old = &self.place.old;
        old.partition_point(|token| token.start < start)
            ..old.partition_point(|token| token.start < end)
    }

    fn token(&self, at: usize) -> Option<(usize, &Token<'_>)> {
        let at = self.place.pairs.get(at).copied().flatten()?;
        Some((at, &self.place.file[at]))
    }

    fn line_start(&self, offset: usize) -> usize {
        let lines = self.snapshot.lines();
        lines.range(lines.line_at(offset)).start
    }

    fn line_end(&self, offset: usize) -> usize {
        let lines = self.snapshot.lines();
        lines.range(lines.line_at(offset)).end
    }

    /// The comma or semicolon after a token of the file that `old_text` has lost.
    fn lost_mark(&self, at: usize) -> Option<&str> {
        let next = self.place.file.get(at + 1).filter(|next| !next.begins_line)?;
        let is_lost = !self.place.pairs.contains(&Some(at + 1));
        (is_lost && matches!(next.text, "," | ";")).then_some(next.text)
    }

    /// The bytes of the file's lines that have the tokens of these lines and no others.
    fn whole_lines(&self, lines: std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
        let tokens = self.tokens(lines);
        if tokens.is_empty() {
            return None;
        }
        let (_, first) = self.token(tokens.start)?;
        let (mut last_at, _) = self.token(tokens.end - 1)?;
        let file = self.place.file;
        // A comma or semicolon that was lost goes with its line.
        if file
            .get(last_at + 1)
            .is_some_and(|next| !next.begins_line && matches!(next.text, "," | ";"))
        {
            last_at += 1;
        }
        let alone = first.begins_line && file.get(last_at + 1).is_none_or(|next| next.begins_line);
        alone.then(|| self.line_start(first.start)..self.line_end(file[last_at].start))
    }

    /// Lines of `new_text` in the file's indentation and with its line endings.
    fn mapped(&self, lines: std::ops::Range<usize>, near: usize) -> String {
        let ending = self.snapshot.ending_near(&(near..near)).as_str();
        let ending = if ending.is_empty() { "\n" } else { ending };
        lines
            .map(|line| {
                let content = self.new_line(line);
                match is_blank(content) {
                    true => ending.to_owned(),
                    false => format!("{}{}{ending}", self.indent_of(line), trim_start(content)),
                }
            })
            .collect()
    }

    /// New lines after the line before them, or before the one after them.
    fn insert(&self, at: usize, lines: std::ops::Range<usize>) -> Option<Edit> {
        let tokens = self.tokens(0..at);
        let file = self.place.file;
        let offset = if tokens.is_empty() {
            let (_, first) = self.token(0)?;
            first.begins_line.then(|| self.line_start(first.start))?
        } else {
            let (mut last, _) = self.token(tokens.end - 1)?;
            while file
                .get(last + 1)
                .is_some_and(|next| !next.begins_line && matches!(next.text, "," | ";"))
            {
                last += 1;
            }
            let ends = file.get(last + 1).is_none_or(|next| next.begins_line);
            let end = self.line_end(file[last].start);
            (ends && self.snapshot.text[..end].ends_with(['\n', '\r'])).then_some(end)?
        };
        Some(Edit { range: offset..offset, new_text: self.mapped(lines, offset.saturating_sub(1)) })
    }

    fn replace(
        &self,
        old: std::ops::Range<usize>,
        new: std::ops::Range<usize>,
    ) -> Option<Vec<Edit>> {
        if let Some(edits) = self.by_tokens(old.clone(), new.clone()) {
            return Some(edits);
        }
        if let Some(edits) = self.by_lines(old.clone(), new.clone()) {
            return Some(edits);
        }
        // What the author wrote anew goes in as they wrote it.
        let range = self.whole_lines(old)?;
        let text = self.mapped(new, range.start);
        let open = !self.snapshot.text[range.clone()].ends_with(['\n', '\r']);
        let text = if open { text.trim_end_matches(['\n', '\r']).to_owned() } else { text };
        Some(vec![Edit { range, new_text: text }])
    }

    /// Line by line, each token by token, where lines come or go beside those that change.
    fn by_lines(
        &self,
        old: std::ops::Range<usize>,
        new: std::ops::Range<usize>,
    ) -> Option<Vec<Edit>> {
        if old.len() == new.len() {
            return None;
        }
        let of = |text: &'_ str, offsets: &[usize], lines: std::ops::Range<usize>| {
            lines
                .map(|line| text[offsets[line]..offsets[line + 1]].trim().to_owned())
                .collect::<Vec<_>>()
        };
        let before = of(&self.wanted.old, &self.old_lines, old.clone());
        let after = of(&self.wanted.new, &self.new_lines, new.clone());
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        let mut pairs = pairing(&before, &after).into_iter().peekable();
        let (mut edits, mut next) = (Vec::new(), 0);
        for line in 0..before.len() {
            let (from, own) = (old.start + line, old.start + line..old.start + line + 1);
            let Some((_, with)) = pairs.next_if(|pair| pair.0 == line) else {
                edits.push(Edit { range: self.whole_lines(own)?, new_text: String::new() });
                continue;
            };
            if with > next {
                edits.push(self.insert(from, new.start + next..new.start + with)?);
            }
            next = with + 1;
            edits.extend(self.by_tokens(own, new.start + with..new.start + with + 1)?);
        }
        if next < after.len() {
            edits.push(self.insert(old.end, new.start + next..new.end)?);
        }
        Some(edits)
    }

    /// Token by token, where none of what changes spans lines.
    fn by_tokens(
        &self,
        old: std::ops::Range<usize>,
        new: std::ops::Range<usize>,
    ) -> Option<Vec<Edit>> {
        let mine = self.tokens(old);
        let text = &self.wanted.new[self.new_lines[new.start]..self.new_lines[new.end]];
        let theirs = scan(text);
        let before: Vec<&str> =
            self.place.old[mine.clone()].iter().map(|token| token.text).collect();
        let after: Vec<&str> = theirs.iter().map(|token| token.text).collect();
        let ops = capture_diff_slices(Algorithm::Myers, &before, &after);
        // Lines that share but some marks are other lines.
        let shared: usize = ops
            .iter()
            .filter(|op| matches!(op, DiffOp::Equal { .. }))
            .map(|op| op.old_range().len())
            .sum();
        if 2 * shared < before.len().max(after.len()) {
            return None;
        }
        let (mut edits, mut is_there) = (Vec::new(), false);
        for op in ops {
            let (gone, come) = (op.old_range(), op.new_range());
            if matches!(op, DiffOp::Equal { .. }) {
                continue;
            }
            let begins = |tokens: &[Token<'_>]| tokens.iter().any(|token| token.begins_line);
            let gone_tokens = &self.place.old[mine.clone()][gone.clone()];
            let there = gone
                .clone()
                .any(|at| self.token(mine.start + at).is_some_and(|(_, token)| token.begins_line));
            if gone.len() != come.len()
                && (there || begins(gone_tokens) || begins(&theirs[come.clone()]))
            {
                return None;
            }
            let written = match (come.start.checked_sub(1), come.is_empty()) {
                (_, true) => "",
                // With the blank before it, where something comes in.
                (Some(before), false) if gone.is_empty() => {
                    &text[theirs[before].end..theirs[come.end - 1].end]
                }
                (_, false) => &text[theirs[come.start].start..theirs[come.end - 1].end],
            };
            let (range, last_at) = if gone.is_empty() {
                let (at, before) = self.token(mine.start + gone.start.checked_sub(1)?)?;
                (before.end..before.end, at)
            } else {
                let (first_at, first) = self.token(mine.start + gone.start)?;
                let (last_at, last) = self.token(mine.start + gone.end - 1)?;
                if last_at - first_at != gone.len() - 1 {
                    return None;
                }
                (first.start..last.end, last_at)
            };
            let written = match self.lost_mark(last_at) {
                // The author adds the mark that the file has there and `old_text` had not.
                Some(mark) if written.ends_with(mark) => {
                    written[..written.len() - mark.len()].trim_end()
                }
                Some(_) if written.ends_with([',', ';']) => return None,
                _ => written,
            };
            if written.is_empty() && range.is_empty() {
                is_there = true;
                continue;
            }
            let spans_lines = |text: &str| text.contains(['\n', '\r']);
            if spans_lines(written) || spans_lines(&self.snapshot.text[range.clone()]) {
                return None;
            }
            edits.push(Edit { new_text: self.quoted(&range, written), range });
        }
        (is_there || !edits.is_empty()).then_some(edits)
    }

    /// A string in the quotes that the file has there.
    fn quoted(&self, range: &std::ops::Range<usize>, written: &str) -> String {
        let there = &self.snapshot.text[range.clone()];
        let quote = |text: &str| text.chars().next().filter(|c| matches!(c, '"' | '\''));
        let inner = written.get(1..written.len().saturating_sub(1)).unwrap_or("");
        match (quote(there), quote(written)) {
            (Some(own), Some(_)) if written.len() > 1 && written.ends_with(['"', '\'']) => {
                match inner.contains(['"', '\'', '\\']) {
                    true => written.to_owned(),
                    false => format!("{own}{inner}{own}"),
                }
            }
            _ => written.to_owned(),
        }
    }
}
