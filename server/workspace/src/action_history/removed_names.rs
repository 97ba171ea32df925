//! Finds out from the history why a name no longer exists.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use text::decode;

use super::record::{RecordedChange, RecordedKind, StoredContent};
use super::{ActionHistory, ActionState, HistoryError};
use crate::entries::open_below;
use crate::platform::Opening;
use crate::{Document, Workspace};

/// Number of newest actions that are searched.
const MAX_ACTIONS: usize = 100;
/// Number of old texts that are parsed because they contain the word.
const MAX_PARSED_TEXTS: usize = 20;
/// Number of bytes that are read of an old text.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// Number of successive renames of one name that are followed.
const MAX_RENAMES: usize = 8;

/// Why a name no longer exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovedName {
    /// It was renamed.
    Renamed {
        /// The name now.
        to: String,
        /// The action that did it, and its tool.
        action: (i64, String),
    },
    /// Its definition was changed or deleted.
    Removed {
        /// The file that last defined it, as results show it.
        path: String,
        /// The 1-based line, in the text before the action.
        line: Option<usize>,
        /// The action that removed it, and its tool; `None` if it was removed by other means.
        action: Option<(i64, String)>,
    },
}

impl Workspace {
    /// Why `name` no longer exists, from the history of actions, else from the index of this
    /// session.
    #[must_use]
    pub fn removed_name(&self, name: &str, interrupt: &AtomicBool) -> Option<RemovedName> {
        let now = self.snapshot();
        let history = ActionHistory::exists(&now.roots).then(|| self.history(&now.roots).ok());
        let found = history.flatten().and_then(|history| {
            history.vanished(name, interrupt).unwrap_or_else(|error| {
                tracing::warn!("{error}");
                None
            })
        });
        found.or_else(|| {
            let path = now.indexer.index.read().last_defining_file(name)?.to_owned();
            Some(RemovedName::Removed { path, line: None, action: None })
        })
    }
}

impl ActionHistory {
    fn vanished(
        &self,
        name: &str,
        interrupt: &AtomicBool,
    ) -> Result<Option<RemovedName>, HistoryError> {
        let renamed = self.database.lock().renamed(name, 0)?;
        if let Some((mut to, mut action)) = renamed {
            for _ in 0..MAX_RENAMES {
                let next = self.database.lock().renamed(&to, action.0)?;
                let Some(next) = next else { break };
                (to, action) = next;
            }
            return Ok(Some(RemovedName::Renamed { to, action }));
        }
        let rows = self.database.lock().actions(MAX_ACTIONS, None, None)?;
        let mut parsed = 0;
        for row in rows.iter().filter(|row| row.action.state != ActionState::Undone) {
            for recorded in &row.recorded {
                if interrupt.load(Ordering::Relaxed) || parsed == MAX_PARSED_TEXTS {
                    return Ok(None);
                }
                let Some(text) = self.text_before(recorded) else { continue };
                if !text.contains(name) {
                    continue;
                }
                parsed += 1;
                let path = recorded.path.shown.clone();
                let document = Document::new(&format!("file:///{path}"), "", 0, &text, 0);
                let symbols = document.symbols(interrupt).unwrap_or_default();
                if let Some(symbol) = symbols.iter().find(|symbol| symbol.name == name) {
                    let line = Some(document.text().line_of(symbol.name_span.start) + 1);
                    let action = Some((row.action.id, row.action.tool.clone()));
                    return Ok(Some(RemovedName::Removed { path, line, action }));
                }
            }
        }
        Ok(None)
    }

    /// The text of a file before a recorded change.
    fn text_before(&self, recorded: &RecordedChange) -> Option<String> {
        let name = match &recorded.kind {
            RecordedKind::Edited { before: StoredContent::Inline(bytes), .. } => {
                return Some(decode(bytes.clone()).ok()?.text);
            }
            RecordedKind::Edited { before: StoredContent::Trash(name), .. }
            | RecordedKind::Deleted { trash: name } => name,
            _ => return None,
        };
        let file = open_below(self.trash.dir(), Path::new(name), Opening::Read).ok()?;
        let mut bytes = Vec::new();
        let mut file = std::io::Read::take(std::fs::File::from(file), MAX_TEXT_BYTES);
        std::io::Read::read_to_end(&mut file, &mut bytes).ok()?;
        Some(decode(bytes).ok()?.text)
    }
}
