//! Names that actions have taken away, read from the history.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use text::decode;

use super::record::{Did, Kept, What};
use super::{ActionHistory, HistoryError, State};
use crate::entries::open_below;
use crate::platform::Opening;
use crate::{Document, Workspace};

/// Most actions that are looked through for a name, the newest first.
const ACTIONS: usize = 100;
/// Most texts that hold the word and are parsed to find it defined there.
const PARSED: usize = 20;
/// Longest text that is looked at, in bytes.
const LONGEST: u64 = 1 << 20;
/// Most renames of one name that are followed.
const RENAMES: usize = 8;

/// What became of a name that nothing has any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vanished {
    /// It was renamed.
    Renamed {
        /// The name now.
        to: String,
        /// The action that did it, and its tool.
        action: (i64, String),
    },
    /// What had it was changed or deleted.
    Gone {
        /// The file that defined it last, as results show it.
        path: String,
        /// The 1-based line, in the text before the action.
        line: Option<usize>,
        /// The action that took it away, and its tool; `None` where it was no tool.
        action: Option<(i64, String)>,
    },
}

impl Workspace {
    /// What became of a name that nothing has any more, as far as the history of actions and the
    /// index of this session know.
    #[must_use]
    pub fn vanished(&self, name: &str, interrupt: &AtomicBool) -> Option<Vanished> {
        let now = self.snapshot();
        let history = ActionHistory::exists(&now.roots).then(|| self.history(&now.roots).ok());
        let found = history.flatten().and_then(|history| {
            history.vanished(name, interrupt).unwrap_or_else(|error| {
                tracing::warn!("{error}");
                None
            })
        });
        found.or_else(|| {
            let path = now.indexer.index.read().last_defined(name)?.to_owned();
            Some(Vanished::Gone { path, line: None, action: None })
        })
    }
}

impl ActionHistory {
    fn vanished(
        &self,
        name: &str,
        interrupt: &AtomicBool,
    ) -> Result<Option<Vanished>, HistoryError> {
        let renamed = self.database.lock().renamed(name, 0)?;
        if let Some((mut to, mut action)) = renamed {
            for _ in 0..RENAMES {
                let next = self.database.lock().renamed(&to, action.0)?;
                let Some(next) = next else { break };
                (to, action) = next;
            }
            return Ok(Some(Vanished::Renamed { to, action }));
        }
        let rows = self.database.lock().actions(ACTIONS, None, None)?;
        let mut parsed = 0;
        for row in rows.iter().filter(|row| row.action.state != State::Undone) {
            for did in &row.did {
                if interrupt.load(Ordering::Relaxed) || parsed == PARSED {
                    return Ok(None);
                }
                let Some(text) = self.text_before(did) else { continue };
                if !text.contains(name) {
                    continue;
                }
                parsed += 1;
                let path = did.path.shown.clone();
                let document = Document::new(&format!("file:///{path}"), "", 0, &text, 0);
                let symbols = document.symbols(interrupt).unwrap_or_default();
                if let Some(symbol) = symbols.iter().find(|symbol| symbol.name == name) {
                    let line = Some(document.text().line_of(symbol.name_span.start) + 1);
                    let action = Some((row.action.id, row.action.tool.clone()));
                    return Ok(Some(Vanished::Gone { path, line, action }));
                }
            }
        }
        Ok(None)
    }

    /// The text that a file had before.
    fn text_before(&self, did: &Did) -> Option<String> {
        let name = match &did.what {
            What::Edited { before: Kept::Inline(bytes), .. } => {
                return Some(decode(bytes.clone()).ok()?.text);
            }
            What::Edited { before: Kept::Trash(name), .. } | What::Deleted { trash: name } => name,
            _ => return None,
        };
        let file = open_below(self.trash.dir(), Path::new(name), Opening::Read).ok()?;
        let mut bytes = Vec::new();
        let mut file = std::io::Read::take(std::fs::File::from(file), LONGEST);
        std::io::Read::read_to_end(&mut file, &mut bytes).ok()?;
        Some(decode(bytes).ok()?.text)
    }
}
