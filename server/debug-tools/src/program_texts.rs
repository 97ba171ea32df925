//! Maps lines between source texts and running programs: breakpoints move with edits, saved or
//! not, while a program was built from the text at its start.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::debug::{LineMap, SessionPhase};
use parking_lot::Mutex;
use text::Text;

use super::file_texts::{current_text, saved_text};
use super::sessions::debugging;
use super::stored_breakpoints::stored_breakpoints;
use tools::{Context, session::FamilyState};

/// Limit for the stored texts of programs.
const MAX_TEXTS: usize = 1_000;

/// The texts of files with breakpoints.
#[derive(Default)]
pub(super) struct ProgramTexts {
    /// The texts at which breakpoints were last moved.
    known: Mutex<HashMap<PathBuf, Text>>,
    /// The texts on disk when a session started.
    by_session: Mutex<HashMap<(u64, PathBuf), Text>>,
}

impl FamilyState for ProgramTexts {}

/// The texts of the call's session.
pub(super) fn program_texts<'c>(context: &'c Context<'_>) -> &'c ProgramTexts {
    context.session.family()
}

impl ProgramTexts {
    /// Moves the breakpoints by the edits since the last call.
    pub(super) fn follow_edits(&self, context: &Context<'_>) {
        stored_breakpoints(context).relocate(context);
        let breakpoints = debugging(context).breakpoints();
        for file in breakpoints.files() {
            let Some(now) = current_text(context, &file) else { continue };
            let before = self.known.lock().insert(file.clone(), now.clone());
            if let Some(before) = before
                && before.difference(&now).is_some()
            {
                breakpoints.shift_lines(&file, |line| shifted_line(&before, &now, line));
            }
        }
    }

    /// The files whose unsaved text differs from the disk's, of which a program started now is
    /// built; and all texts on disk.
    pub(super) fn texts_at_start(
        &self,
        context: &Context<'_>,
    ) -> (HashMap<PathBuf, LineMap>, HashMap<PathBuf, Text>) {
        self.follow_edits(context);
        let (mut lines, mut saved) = (HashMap::new(), HashMap::new());
        for file in debugging(context).breakpoints().files() {
            let Some(disk) = saved_text(context, &file) else { continue };
            if let Some(now) = current_text(context, &file) {
                lines.extend(line_map(&now, &disk).map(|lines| (file.clone(), lines)));
            }
            saved.insert(file, disk);
        }
        (lines, saved)
    }

    /// Stores the texts that a session's program was built from.
    pub(super) fn record_start(
        &self,
        context: &Context<'_>,
        session: u64,
        saved: HashMap<PathBuf, Text>,
    ) {
        let sessions = debugging(context).debugger.sessions();
        let lives = |id: u64| {
            let found = sessions.iter().find(|one| one.id() == id);
            found.is_some_and(|one| !matches!(one.phase(), SessionPhase::Ended(_)))
        };
        let mut all = self.by_session.lock();
        all.retain(|(id, _), _| lives(*id));
        let room = MAX_TEXTS.saturating_sub(all.len());
        all.extend(saved.into_iter().take(room).map(|(file, text)| ((session, file), text)));
    }

    /// Text of the program and current text of a file; `None` if they are equal or unknown. A file
    /// that gets its first breakpoint while the program runs is assumed to be unchanged.
    pub(super) fn line_map_for(
        &self,
        context: &Context<'_>,
        session: u64,
        file: &Path,
    ) -> Option<LineMap> {
        let key = (session, file.to_owned());
        let known = self.by_session.lock().get(&key).cloned();
        let program = match known {
            Some(known) => known,
            None => {
                let disk = saved_text(context, file)?;
                let mut all = self.by_session.lock();
                if all.len() < MAX_TEXTS {
                    all.insert(key, disk.clone());
                }
                disk
            }
        };
        line_map(&current_text(context, file)?, &program)
    }
}

fn line_map(text: &Text, program: &Text) -> Option<LineMap> {
    text.difference(program)?;
    let (from, to) = (text.clone(), program.clone());
    let (back_from, back_to) = (program.clone(), text.clone());
    Some(LineMap {
        to_program: Arc::new(move |line| shifted_line(&from, &to, line)),
        to_text: Arc::new(move |line| shifted_line(&back_from, &back_to, line)),
    })
}

/// Where line `line` (1-based) of `before` is in `after`: found by the changed region, and inside
/// it by the line's text, nearest first; a deleted line maps to what replaced it. Takes time
/// proportional to the change.
fn shifted_line(before: &Text, after: &Text, line: u32) -> u32 {
    let Some((old, new)) = before.difference(after) else { return line };
    let Some(index) = (line as usize).checked_sub(1) else { return line };
    let (first, last) = (before.line_of(old.start), before.line_of(old.end));
    let (new_first, new_last) = (after.line_of(new.start), after.line_of(new.end));
    let at = if index < first {
        index
    } else if index > last {
        index - last + new_last
    } else {
        let says = before.line(index.min(before.line_count().saturating_sub(1)));
        let says = says.trim();
        let mut like = (new_first..=new_last).filter(|at| after.line(*at).trim() == says);
        // Relative position from both ends of the changed region: the nearer one counts.
        let far = |at: &usize| {
            let from_start = (at - new_first).abs_diff(index - first);
            from_start.min((new_last - at).abs_diff(last - index))
        };
        let found = if says.is_empty() { like.next() } else { like.min_by_key(far) };
        found.unwrap_or_else(|| (new_first + (index - first)).min(new_last))
    };
    // A line past the end maps past the end.
    u32::try_from(at.min(after.line_count().saturating_sub(1)) + 1).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_move_with_the_text_around_them() {
        let before = "a\nb\nc\nd\n";
        for (after, line, then) in [
            ("a\nb\nc\nd\n", 3, 3),
            ("new\na\nb\nc\nd\n", 1, 2),
            ("new\na\nb\nc\nd\n", 4, 5),
            ("a\nb\nnew\nc\nd\n", 3, 4),
            ("a\nb\nnew\nc\nd\n", 2, 2),
            ("a\nd\n", 4, 2),
            ("a\nd\n", 2, 2),
            ("a\nB\nc\nd\n", 2, 2),
            ("x\na\nb\ny\nc\nd\nz\n", 3, 5),
            ("", 3, 1),
        ] {
            let (old, new) = (Text::new(before), Text::new(after));
            assert_eq!(shifted_line(&old, &new, line), then, "line {line} in {after:?}");
        }
        let (none, some) = (Text::new(""), Text::new("a\nb\n"));
        assert!(shifted_line(&none, &some, 1_000_000) as usize <= some.line_count());
    }
}
