//! The hash chain of the audit log.
//!
//! Each row's `chain` is the hash of the row and of the previous chain value. A process that can
//! write the file can recompute it from the changed row on; any other change, and removed rows at
//! the end, are detected.

use rusqlite::OptionalExtension;
use sha2::{Digest, Sha256};

use super::store::{AuditError, AuditRow, Store, StoredRow, read_row};

/// The result of [`Store::verify`].
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Verified {
    /// Number of checked rows.
    pub rows: u64,
    /// Number of rows that retention has removed from the beginning.
    pub pruned: i64,
    /// Chain hash of the last row: kept elsewhere, it reveals whether earlier rows were rewritten.
    pub head: String,
    /// The first row that was tampered with, and how.
    pub broken: Option<(i64, String)>,
}

impl Store {
    /// Checks all rows and their chain.
    pub(super) fn verify(&self) -> Result<Verified, AuditError> {
        self.check_chain().map_err(|source| self.database_error(source))
    }

    fn check_chain(&self) -> rusqlite::Result<Verified> {
        // One consistent read, in spite of concurrent writers.
        let reading = self.connection.unchecked_transaction()?;
        let (pruned, mut chain): (i64, String) = reading
            .query_row("SELECT seq, chain FROM pruned", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?
            .unwrap_or_default();
        let mut statement = reading.prepare(
            "SELECT seq, call, phase, time, tool, outcome, body, chain FROM records ORDER BY seq",
        )?;
        let mut rows = statement.query([])?;
        let (mut count, mut last) = (0, pruned);
        let mut broken = None;
        while let Some(found) = rows.next()? {
            let StoredRow { seq, row } = read_row(found)?;
            let stored_chain: String = found.get(7)?;
            count += 1;
            if broken.is_none() {
                if seq != last + 1 {
                    broken =
                        Some((seq, format!("the rows from {} to {} are gone", last + 1, seq - 1)));
                } else if chain_hash(&chain, seq, &row) != stored_chain {
                    broken = Some((seq, "the row is not as it was written".to_owned()));
                }
            }
            (last, chain) = (seq, stored_chain);
        }
        let written: Option<i64> = reading
            .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'records'", [], |r| r.get(0))
            .optional()?;
        if broken.is_none() && written.unwrap_or(0) != last {
            broken = Some((last + 1, "rows are gone from the end".to_owned()));
        }
        Ok(Verified { rows: count, pruned, head: chain, broken })
    }
}

/// The chain hash after a row.
pub(super) fn chain_hash(before: &str, seq: i64, row: &AuditRow) -> String {
    let (seq, time) = (seq.to_string(), row.time.to_string());
    let parts =
        [before, &seq, &row.call, row.phase.as_str(), &time, &row.tool, &row.outcome, &row.body];
    let mut hash = Sha256::new();
    for part in parts {
        // The length is hashed, too, so no two rows have the same bytes.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use crate::audit::store::tests::store;

    #[test]
    fn tampering_is_detected() {
        for (sql, at) in [
            ("UPDATE records SET body = '{}' WHERE seq = 3", 3),
            ("UPDATE records SET outcome = 'E_DENIED' WHERE seq = 1", 1),
            ("UPDATE records SET time = 0 WHERE seq = 5", 5),
            ("DELETE FROM records WHERE seq = 2", 3),
            ("DELETE FROM records WHERE seq = 1", 2),
            ("DELETE FROM records WHERE seq > 3", 4),
            ("UPDATE records SET seq = 9 WHERE seq = 5", 9),
        ] {
            let (_dir, store) = store(5);
            store
                .connection
                .execute_batch("DROP TRIGGER records_stay; DROP TRIGGER records_go;")
                .unwrap();
            store.connection.execute_batch(sql).unwrap();
            let broken = store.verify().unwrap().broken.map(|(seq, _)| seq);
            assert_eq!(broken, Some(at), "{sql}");
        }
    }
}
