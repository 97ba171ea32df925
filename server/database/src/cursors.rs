//! What a session keeps: queries that stay open for their next page, and what the last statements do.

use std::time::Instant;

use parking_lot::Mutex;
use tools::FamilyState;

use crate::engine::Kind;
use crate::failure::Failure;
use crate::guard::{Checked, check};
use crate::limits::{IDLE_CURSOR, MAX_CURSORS};
use crate::worker::{Page, Worker};

/// The open queries of a session.
#[derive(Default)]
pub(crate) struct OpenQueries {
    queries: Mutex<Vec<OpenQuery>>,
    checked: Mutex<Vec<(Kind, String, Checked)>>,
}

/// Statements that are kept. A call's is parsed for its effects, and needed again when it runs.
const MAX_CHECKED: usize = 8;

struct OpenQuery {
    cursor: String,
    /// The call that it belongs to.
    call: String,
    worker: Worker<Page>,
    since: Instant,
}

impl OpenQueries {
    /// What a statement does.
    pub(crate) fn check(&self, kind: Kind, sql: &str) -> Result<Checked, Failure> {
        let mut known = self.checked.lock();
        let is_it = |(of, text, _): &&(Kind, String, Checked)| *of == kind && text == sql;
        if let Some((.., checked)) = known.iter().find(is_it) {
            return Ok(checked.clone());
        }
        drop(known);
        let checked = check(kind, sql)?;
        known = self.checked.lock();
        if known.len() >= MAX_CHECKED {
            known.remove(0);
        }
        known.push((kind, sql.to_owned(), checked.clone()));
        Ok(checked)
    }

    /// Keeps a query open and returns its cursor. The query that waits longest is closed if there are too many.
    pub(crate) fn keep(&self, call: String, worker: Worker<Page>) -> Option<String> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).ok()?;
        let cursor: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let since = Instant::now();
        let mut queries = self.queries.lock();
        let mut closed: Vec<OpenQuery> =
            queries.extract_if(.., |query| query.since.elapsed() >= IDLE_CURSOR).collect();
        if queries.len() >= MAX_CURSORS {
            closed.push(queries.remove(0));
        }
        queries.push(OpenQuery { cursor: cursor.clone(), call, worker, since });
        // Ending a query at its server takes time in which others need the list.
        drop(queries);
        drop(closed);
        Some(cursor)
    }

    /// Takes the query of a cursor, if `call` is the one that it belongs to.
    pub(crate) fn take(&self, cursor: &str, call: &str) -> Option<Worker<Page>> {
        let mut queries = self.queries.lock();
        let at = queries.iter().position(|query| query.cursor == cursor && query.call == call)?;
        Some(queries.remove(at).worker)
    }
}

impl FamilyState for OpenQueries {
    fn stop(&self) {
        self.queries.lock().clear();
    }
}
