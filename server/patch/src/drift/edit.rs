//! The edits of a patch at a place that was matched by tokens.
//!
//! Three methods, from the most to the least precise: token edits, line by line with token edits, and
//! replacing whole lines. The first that applies is used, so the formatter's layout survives where it
//! can.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::TokenMatch;
use crate::code_tokens::{Token, scan};
use crate::lines::{TextLine, indent, is_blank, split_lines, trim};
use crate::patch::PatchTexts;
use crate::plan::Edit;
use crate::snapshot::Snapshot;
use crate::transplant::{line_diff, pair_versions};

/// The edits, sorted and disjoint; `None` if a change cannot be located in the file, for example
/// because the file has the changed line joined with another.
pub(crate) fn edits<'t>(
    snapshot: &Snapshot<'t>,
    texts: &PatchTexts<'_>,
    place: &TokenMatch<'_, '_, 't>,
) -> Option<Vec<Edit>> {
    let (old, new) = (split_lines(&texts.old), split_lines(&texts.new));
    let before: Vec<&str> = old.iter().map(|text_line| trim(text_line.content)).collect();
    let after: Vec<&str> = new.iter().map(|text_line| trim(text_line.content)).collect();
    let ops = line_diff(&before, &after);
    let mut patch = EditBuilder {
        snapshot,
        texts,
        place,
        old_lines: offsets(&old),
        new_lines: offsets(&new),
        kept_lines: Vec::new(),
        new_text_has_file_indent: false,
    };
    patch.new_text_has_file_indent = patch.classify_indentation(&ops, &old, &new)?;
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

/// The start of each line, then the end of the text.
fn offsets(text_lines: &[TextLine<'_>]) -> Vec<usize> {
    let mut at = 0;
    let mut result = vec![0];
    for text_line in text_lines {
        at += text_line.content.len() + text_line.ending.as_str().len();
        result.push(at);
    }
    result
}

struct EditBuilder<'p, 't> {
    snapshot: &'p Snapshot<'t>,
    texts: &'p PatchTexts<'p>,
    place: &'p TokenMatch<'p, 'p, 't>,
    old_lines: Vec<usize>,
    new_lines: Vec<usize>,
    /// Kept lines of `new_text` that begin a line in the file, with their indentation there.
    kept_lines: Vec<(usize, String)>,
    /// Whether `new_text` has the file's indentation and not that of `old_text`.
    new_text_has_file_indent: bool,
}

impl EditBuilder<'_, '_> {
    /// Records the kept lines. Returns whether `new_text` indents them as the file does; `None` if
    /// the patch changes the indentation of some, or if they disagree.
    fn classify_indentation(
        &mut self,
        ops: &[DiffOp],
        old: &[TextLine<'_>],
        new: &[TextLine<'_>],
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
                self.kept_lines.extend(there.map(|own| (theirs, own)));
            }
        }
        (!(author && file)).then_some(file)
    }

    fn indent_at(&self, offset: usize) -> &str {
        // A byte order mark belongs to the first token, and not to its line.
        self.snapshot.text.get(self.line_start(offset)..offset).unwrap_or_default()
    }

    fn new_line(&self, line: usize) -> &str {
        self.texts.new[self.new_lines[line]..self.new_lines[line + 1]]
            .trim_end_matches(['\n', '\r'])
    }

    /// The indentation of a line of `new_text` in the file: that of the nearest kept line of the
    /// same depth if there is one, otherwise by the indentation map.
    fn indent_of(&self, line: usize) -> String {
        let own = indent(self.new_line(line));
        if self.new_text_has_file_indent {
            return own.to_owned();
        }
        self.kept_lines
            .iter()
            .filter(|(kept, _)| indent(self.new_line(*kept)) == own)
            .min_by_key(|(kept, _)| kept.abs_diff(line))
            .map_or_else(|| self.place.map.apply(own), |(_, there)| there.clone())
    }
    /// The indices of the tokens of some lines of `old_text`.
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

    /// The comma or semicolon after a token of the file that `old_text` lacks.
    fn lost_mark(&self, at: usize) -> Option<&str> {
        let next = self.place.file.get(at + 1).filter(|next| !next.begins_line)?;
        let is_lost = !self.place.pairs.contains(&Some(at + 1));
        (is_lost && matches!(next.text, "," | ";")).then_some(next.text)
    }

    /// The bytes of the file's lines for these lines of `old_text`; `None` if those lines of the file
    /// have other tokens too.
    fn whole_lines(&self, lines: std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
        let tokens = self.tokens(lines);
        if tokens.is_empty() {
            return None;
        }
        let (_, first) = self.token(tokens.start)?;
        let (mut last_at, _) = self.token(tokens.end - 1)?;
        let file = self.place.file;
        // A comma or semicolon that `old_text` lacks belongs to its line.
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
    fn indented_lines(&self, lines: std::ops::Range<usize>, near: usize) -> String {
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

    /// Inserts lines of `new_text` after line `at - 1` of `old_text`, or before its first line.
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
        Some(Edit {
            range: offset..offset,
            new_text: self.indented_lines(lines, offset.saturating_sub(1)),
        })
    }

    fn replace(
        &self,
        old: std::ops::Range<usize>,
        new: std::ops::Range<usize>,
    ) -> Option<Vec<Edit>> {
        if let Some(edits) = self.edit_by_tokens(old.clone(), new.clone()) {
            return Some(edits);
        }
        if let Some(edits) = self.edit_by_lines(old.clone(), new.clone()) {
            return Some(edits);
        }
        // Lines that were rewritten completely are inserted as the author wrote them.
        let range = self.whole_lines(old)?;
        let text = self.indented_lines(new, range.start);
        let open = !self.snapshot.text[range.clone()].ends_with(['\n', '\r']);
        let text = if open { text.trim_end_matches(['\n', '\r']).to_owned() } else { text };
        Some(vec![Edit { range, new_text: text }])
    }

    /// Edits line by line, with token edits in each; for changes that also add or remove lines.
    fn edit_by_lines(
        &self,
        old: std::ops::Range<usize>,
        new: std::ops::Range<usize>,
    ) -> Option<Vec<Edit>> {
        if old.len() == new.len() {
            return None;
        }
        let trimmed = |text: &'_ str, offsets: &[usize], lines: std::ops::Range<usize>| {
            lines
                .map(|line| text[offsets[line]..offsets[line + 1]].trim().to_owned())
                .collect::<Vec<_>>()
        };
        let before = trimmed(&self.texts.old, &self.old_lines, old.clone());
        let after = trimmed(&self.texts.new, &self.new_lines, new.clone());
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        let mut pairs = pair_versions(&before, &after).into_iter().peekable();
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
            edits.extend(self.edit_by_tokens(own, new.start + with..new.start + with + 1)?);
        }
        if next < after.len() {
            edits.push(self.insert(old.end, new.start + next..new.end)?);
        }
        Some(edits)
    }

    /// Edits token by token; `None` if a changed part spans lines.
    fn edit_by_tokens(
        &self,
        old: std::ops::Range<usize>,
        new: std::ops::Range<usize>,
    ) -> Option<Vec<Edit>> {
        let mine = self.tokens(old);
        let text = &self.texts.new[self.new_lines[new.start]..self.new_lines[new.end]];
        let theirs = scan(text);
        let before: Vec<&str> =
            self.place.old[mine.clone()].iter().map(|token| token.text).collect();
        let after: Vec<&str> = theirs.iter().map(|token| token.text).collect();
        let ops = capture_diff_slices(Algorithm::Myers, &before, &after);
        // If less than half of the tokens are shared, it is another line: replace it as a whole.
        // A string with other words is still the same string, in the quotes that the file has.
        let shared: usize = ops
            .iter()
            .map(|op| {
                let pairs = self.place.old[mine.clone()][op.old_range()].iter();
                let pairs = pairs.zip(&theirs[op.new_range()]);
                match op {
                    DiffOp::Equal { len, .. } => *len,
                    DiffOp::Replace { old_len, new_len, .. } if old_len == new_len => {
                        pairs.filter(|(old, new)| old.is_string && new.is_string).count()
                    }
                    _ => 0,
                }
            })
            .sum();
        if 2 * shared < before.len().max(after.len()) || !self.shares_a_word(&mine, &theirs, &ops) {
            return None;
        }
        let (mut edits, mut is_there) = (Vec::new(), false);
        for op in ops {
            let (removed, added) = (op.old_range(), op.new_range());
            if matches!(op, DiffOp::Equal { .. }) {
                continue;
            }
            let begins = |tokens: &[Token<'_>]| tokens.iter().any(|token| token.begins_line);
            let removed_tokens = &self.place.old[mine.clone()][removed.clone()];
            let there = removed
                .clone()
                .any(|at| self.token(mine.start + at).is_some_and(|(_, token)| token.begins_line));
            let added_tokens = &theirs[added.clone()];
            if removed.len() != added.len()
                && (there || begins(removed_tokens) || begins(added_tokens))
            {
                return None;
            }
            // Punctuation that begins a line in the file does so as part of the layout, which another
            // mark in its place does not keep: `}` on its own line, replaced by `;`.
            if there && removed_tokens.iter().chain(added_tokens).any(Token::is_punctuation) {
                return None;
            }
            let written = match (added.start.checked_sub(1), added.is_empty()) {
                (_, true) => "",
                // An insertion includes the blanks before it.
                (Some(before), false) if removed.is_empty() => {
                    &text[theirs[before].end..theirs[added.end - 1].end]
                }
                (_, false) => &text[theirs[added.start].start..theirs[added.end - 1].end],
            };
            let is_inside = 0 < removed.start && removed.end < mine.len();
            let (range, last_at) = if added.is_empty() && is_inside {
                let gap = &text[theirs[added.start - 1].end..theirs[added.start].start];
                self.without(mine.start + removed.start..mine.start + removed.end, gap)?
            } else if removed.is_empty() {
                let (at, before) = self.token(mine.start + removed.start.checked_sub(1)?)?;
                (before.end..before.end, at)
            } else {
                let (first_at, first) = self.token(mine.start + removed.start)?;
                let (last_at, last) = self.token(mine.start + removed.end - 1)?;
                if last_at - first_at != removed.len() - 1 {
                    return None;
                }
                (first.start..last.end, last_at)
            };
            let written = match self.lost_mark(last_at) {
                // The file has the mark that the author adds.
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
            edits.push(Edit { new_text: self.with_file_quotes(&range, written), range });
        }
        (is_there || !edits.is_empty()).then_some(edits)
    }

    /// The range to delete for these tokens of `old_text`, which lie within its line, and the file's last one. The
    /// blanks on one side go with them: those stay that are `gap`, the blanks of `new_text`, in `old_text`.
    fn without(
        &self,
        removed: std::ops::Range<usize>,
        gap: &str,
    ) -> Option<(std::ops::Range<usize>, usize)> {
        let (first_at, first) = self.token(removed.start)?;
        let (last_at, last) = self.token(removed.end - 1)?;
        if last_at - first_at != removed.len() - 1 {
            return None;
        }
        let file = self.place.file;
        let (Some(before), Some(after)) =
            (first_at.checked_sub(1).and_then(|at| file.get(at)), file.get(last_at + 1))
        else {
            return Some((first.start..last.end, last_at));
        };
        if first.begins_line || after.begins_line {
            return Some((first.start..last.end, last_at));
        }
        let old = &self.place.old;
        let keeps_right = self.texts.old[old[removed.end - 1].end..old[removed.end].start] == *gap;
        let range = if keeps_right { before.end..last.end } else { first.start..after.start };
        Some((range, last_at))
    }

    /// Whether any token but punctuation is kept, if there are others. `a() = default;` and `b();` share
    /// only marks: they are different lines.
    fn shares_a_word(
        &self,
        mine: &std::ops::Range<usize>,
        theirs: &[Token<'_>],
        ops: &[DiffOp],
    ) -> bool {
        let old = &self.place.old[mine.clone()];
        let has_words = |tokens: &[Token<'_>]| tokens.iter().any(|token| !token.is_punctuation());
        let is_same = |op: &DiffOp| {
            let (was, is) = (&old[op.old_range()], &theirs[op.new_range()]);
            match op {
                DiffOp::Equal { .. } => has_words(was),
                _ => {
                    was.len() == is.len()
                        && was.iter().zip(is).any(|(was, is)| was.is_string && is.is_string)
                }
            }
        };
        // `a = [];` and `b = [];` are the same line with another name.
        let is_renamed = old.len() == theirs.len();
        is_renamed || !has_words(old) || !has_words(theirs) || ops.iter().any(is_same)
    }

    /// A string literal with the quotes that the file uses there. A literal whose content has quotes
    /// or backslashes stays: changing its quotes could change its value.
    fn with_file_quotes(&self, range: &std::ops::Range<usize>, written: &str) -> String {
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
