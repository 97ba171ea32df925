//! The database of collections.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use embedding::{SignQuery, Signs, embed, similarity};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use rustc_hash::{FxHashMap, FxHashSet};
use workspace::{check_sqlite_files, enable_sqlite_wal};

/// How long to wait for another server's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Passages of each ranking that are joined.
const CANDIDATES: usize = 100;
/// Reciprocal rank fusion: how little the first ranks differ.
const RANK_OFFSET: f64 = 20.0;
/// Words of a question that count.
const MAX_WORDS: usize = 40;

const TABLES: &str = "
    PRAGMA foreign_keys = ON;
    CREATE TABLE IF NOT EXISTS collections (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE IF NOT EXISTS documents (
        id INTEGER PRIMARY KEY,
        collection INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
        path TEXT NOT NULL, hash TEXT NOT NULL, category TEXT, metadata TEXT NOT NULL,
        UNIQUE (collection, path)
    );
    CREATE TABLE IF NOT EXISTS chunks (
        id INTEGER PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        number INTEGER NOT NULL, section TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
        content TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS chunks_document ON chunks (document);
    CREATE TABLE IF NOT EXISTS signs (chunk INTEGER PRIMARY KEY, document INTEGER NOT NULL, signs BLOB NOT NULL);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
        section, content, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
    );
";

pub(super) struct Database {
    connection: Connection,
}

/// A passage to store, or one that was found.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) section: String,
    /// Its lines, from 1.
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) content: String,
}

/// A document to store.
pub(super) struct NewDocument<'d> {
    pub(super) path: &'d str,
    pub(super) hash: &'d str,
    pub(super) category: Option<&'d str>,
    pub(super) metadata: &'d BTreeMap<String, String>,
    pub(super) chunks: &'d [Chunk],
}

/// A passage that fits a question.
#[derive(Debug)]
pub(super) struct FoundChunk {
    pub(super) path: String,
    pub(super) hash: String,
    pub(super) category: Option<String>,
    pub(super) number: u32,
    pub(super) chunk: Chunk,
    /// The similarity of its vector to the question's.
    pub(super) score: f32,
}

/// What is asked of a collection.
pub(super) struct Question<'q> {
    pub(super) collection: &'q str,
    pub(super) text: &'q str,
    pub(super) category: Option<&'q str>,
    pub(super) metadata: &'q BTreeMap<String, String>,
}

/// A collection and how much it has.
pub(super) struct CollectionSize {
    pub(super) name: String,
    pub(super) documents: u32,
    pub(super) chunks: u32,
}

impl Database {
    pub(super) fn open(folder: &Path) -> Result<Self, rusqlite::Error> {
        let path = folder.join("collections.db");
        check_sqlite_files(&path).map_err(|_| rusqlite::Error::InvalidPath(path.clone()))?;
        let connection = Connection::open(&path)?;
        enable_sqlite_wal(&connection, BUSY_TIMEOUT)?;
        connection.execute_batch(TABLES)?;
        Ok(Self { connection })
    }

    /// The hash of a stored document with the same category and metadata.
    pub(super) fn stored_hash(
        &self,
        collection: &str,
        document: &NewDocument<'_>,
    ) -> Result<Option<String>, rusqlite::Error> {
        let query = "SELECT hash FROM documents WHERE path = ? AND category IS ? AND metadata = ?
             AND collection = (SELECT id FROM collections WHERE name = ?)";
        let metadata = metadata_text(document.metadata);
        let parameters = params![document.path, document.category, metadata, collection];
        self.connection.prepare_cached(query)?.query_row(parameters, |row| row.get(0)).optional()
    }

    /// Stores a document in place of its earlier version, as a whole or not at all.
    pub(super) fn put(
        &mut self,
        collection: &str,
        document: &NewDocument<'_>,
    ) -> Result<(), rusqlite::Error> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("INSERT OR IGNORE INTO collections (name) VALUES (?)", [collection])?;
        let id: i64 = transaction.query_row(
            "SELECT id FROM collections WHERE name = ?",
            [collection],
            |row| row.get(0),
        )?;
        delete_documents(
            &transaction,
            "collection = ?1 AND path = ?2",
            params![id, document.path],
        )?;
        transaction.execute(
            "INSERT INTO documents (collection, path, hash, category, metadata) VALUES (?, ?, ?, ?, ?)",
            params![id, document.path, document.hash, document.category, metadata_text(document.metadata)],
        )?;
        let document_id = transaction.last_insert_rowid();
        for (number, chunk) in (0_u32..).zip(document.chunks) {
            transaction.prepare_cached(
                "INSERT INTO chunks (document, number, section, first, last, content) VALUES (?, ?, ?, ?, ?, ?)",
            )?.execute(params![document_id, number, chunk.section, chunk.first, chunk.last, chunk.content])?;
            let id = transaction.last_insert_rowid();
            let signs = Signs::new(&embed(&format!("{}\n{}", chunk.section, chunk.content)));
            transaction.prepare_cached("INSERT INTO signs VALUES (?, ?, ?)")?.execute(params![
                id,
                document_id,
                signs.to_bytes()
            ])?;
            transaction
                .prepare_cached("INSERT INTO words (rowid, section, content) VALUES (?, ?, ?)")?
                .execute(params![id, chunk.section, chunk.content])?;
        }
        transaction.commit()
    }

    /// Removes documents whose paths `is_gone`. Returns how many.
    pub(super) fn remove_gone(
        &mut self,
        collection: &str,
        is_gone: impl Fn(&str) -> bool,
    ) -> Result<usize, rusqlite::Error> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let gone: Vec<i64> = {
            let mut query = transaction.prepare(
                "SELECT documents.id, path FROM documents JOIN collections ON collections.id = collection
                 WHERE name = ?",
            )?;
            let rows =
                query.query_map([collection], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
            rows.filter_map(Result::ok)
                .filter(|(_, path)| is_gone(path))
                .map(|(id, _)| id)
                .collect()
        };
        for id in &gone {
            delete_documents(&transaction, "id = ?1", params![id])?;
        }
        transaction.commit()?;
        Ok(gone.len())
    }

    /// Removes a collection with everything in it.
    pub(super) fn remove(&mut self, collection: &str) -> Result<(), rusqlite::Error> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let of = "collection = (SELECT id FROM collections WHERE name = ?1)";
        delete_documents(&transaction, of, params![collection])?;
        transaction.execute("DELETE FROM collections WHERE name = ?", [collection])?;
        transaction.commit()
    }

    /// The passages of a collection that fit a question, best first; `None` if there is no such collection.
    /// Words and meaning are joined by reciprocal rank fusion.
    pub(super) fn ask(
        &self,
        question: &Question<'_>,
    ) -> Result<Option<Vec<FoundChunk>>, rusqlite::Error> {
        let Some(documents) = self.documents(question)? else { return Ok(None) };
        let vector = embed(question.text);
        let mut ranks: FxHashMap<i64, f64> = FxHashMap::default();
        for list in [self.by_words(question.text, &documents)?, self.by_signs(&vector, &documents)?]
        {
            #[allow(clippy::cast_precision_loss, reason = "ranks are small")]
            for (rank, id) in list.into_iter().enumerate() {
                *ranks.entry(id).or_default() += 1.0 / (RANK_OFFSET + rank as f64);
            }
        }
        let mut best: Vec<(i64, f64)> = ranks.into_iter().collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let found = best.into_iter().take(CANDIDATES).map(|(id, _)| self.chunk(id, &vector));
        found.collect::<Result<Vec<_>, _>>().map(Some)
    }

    /// The ids of documents that the question's filters leave.
    fn documents(
        &self,
        question: &Question<'_>,
    ) -> Result<Option<FxHashSet<i64>>, rusqlite::Error> {
        let id = "SELECT id FROM collections WHERE name = ?";
        let id: Option<i64> =
            self.connection.query_row(id, [question.collection], |row| row.get(0)).optional()?;
        let Some(id) = id else { return Ok(None) };
        let mut query = self
            .connection
            .prepare("SELECT id, category, metadata FROM documents WHERE collection = ?")?;
        let rows = query.query_map([id], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?, row.get::<_, String>(2)?))
        })?;
        let mut wanted = FxHashSet::default();
        for row in rows {
            let (id, category, metadata) = row?;
            let metadata: BTreeMap<String, String> =
                serde_json::from_str(&metadata).unwrap_or_default();
            let is_category =
                question.category.is_none_or(|wanted| category.as_deref() == Some(wanted));
            let mut asked = question.metadata.iter();
            if is_category && asked.all(|(key, value)| metadata.get(key) == Some(value)) {
                wanted.insert(id);
            }
        }
        Ok(Some(wanted))
    }

    fn by_words(
        &self,
        text: &str,
        documents: &FxHashSet<i64>,
    ) -> Result<Vec<i64>, rusqlite::Error> {
        // Words are quoted, so that no syntax of FTS5 is read in a question.
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.take(MAX_WORDS).map(|word| format!("\"{word}\"")).collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut query = self.connection.prepare(
            "SELECT words.rowid, document FROM words JOIN chunks ON chunks.id = words.rowid
             WHERE words MATCH ? ORDER BY bm25(words, 2.0, 1.0)",
        )?;
        let rows = query.query_map([words.join(" OR ")], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let ids = rows.filter_map(Result::ok).filter(|(_, document)| documents.contains(document));
        Ok(ids.map(|(id, _)| id).take(CANDIDATES).collect())
    }

    fn by_signs(
        &self,
        vector: &[f32],
        documents: &FxHashSet<i64>,
    ) -> Result<Vec<i64>, rusqlite::Error> {
        if vector.iter().all(|value| *value == 0.0) {
            return Ok(Vec::new());
        }
        let wanted = SignQuery::new(vector);
        let mut query = self.connection.prepare("SELECT chunk, document, signs FROM signs")?;
        let mut rows = query.query([])?;
        let mut scored: Vec<(f32, i64)> = Vec::new();
        while let Some(row) = rows.next()? {
            if !documents.contains(&row.get(1)?) {
                continue;
            }
            let bytes = row.get_ref(2)?.as_blob()?;
            let Ok(bytes) = bytes.try_into() else { continue };
            scored.push((wanted.score(&Signs::from_bytes(bytes)), row.get(0)?));
            if scored.len() >= 50 * CANDIDATES {
                keep_best(&mut scored);
            }
        }
        keep_best(&mut scored);
        Ok(scored.into_iter().map(|(_, id)| id).collect())
    }

    fn chunk(&self, id: i64, vector: &[f32]) -> Result<FoundChunk, rusqlite::Error> {
        let query = "SELECT path, hash, category, number, section, first, last, content
             FROM chunks JOIN documents ON documents.id = document WHERE chunks.id = ?";
        self.connection.prepare_cached(query)?.query_row([id], |row| {
            let (section, content): (String, String) = (row.get(4)?, row.get(7)?);
            let score = similarity(&embed(&format!("{section}\n{content}")), vector);
            let chunk = Chunk { section, first: row.get(5)?, last: row.get(6)?, content };
            let (path, hash, category) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(FoundChunk { path, hash, category, number: row.get(3)?, chunk, score })
        })
    }

    /// All collections, by name.
    pub(super) fn collections(&self) -> Result<Vec<CollectionSize>, rusqlite::Error> {
        let mut query = self.connection.prepare(
            "SELECT name, (SELECT count(*) FROM documents WHERE collection = collections.id),
                 (SELECT count(*) FROM chunks JOIN documents ON documents.id = document
                  WHERE collection = collections.id)
             FROM collections ORDER BY name",
        )?;
        let rows = query.query_map([], |row| {
            Ok(CollectionSize { name: row.get(0)?, documents: row.get(1)?, chunks: row.get(2)? })
        })?;
        rows.collect()
    }
}

fn keep_best(scored: &mut Vec<(f32, i64)>) {
    scored.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    scored.truncate(CANDIDATES);
}

fn metadata_text(metadata: &BTreeMap<String, String>) -> String {
    serde_json::to_string(metadata).unwrap_or_default()
}

/// Deletes documents with their passages in all tables.
fn delete_documents(
    transaction: &Transaction<'_>,
    condition: &str,
    parameters: &[&dyn rusqlite::ToSql],
) -> Result<(), rusqlite::Error> {
    let documents = format!("SELECT id FROM documents WHERE {condition}");
    let chunks = format!("SELECT id FROM chunks WHERE document IN ({documents})");
    transaction.execute(&format!("DELETE FROM words WHERE rowid IN ({chunks})"), parameters)?;
    transaction
        .execute(&format!("DELETE FROM signs WHERE document IN ({documents})"), parameters)?;
    transaction.execute(&format!("DELETE FROM documents WHERE {condition}"), parameters)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(database: &mut Database, path: &str, content: &str, category: Option<&str>) {
        let chunk =
            Chunk { section: "S".to_owned(), first: 1, last: 2, content: content.to_owned() };
        let metadata = BTreeMap::from([("year".to_owned(), "2020".to_owned())]);
        let document =
            NewDocument { path, hash: "h", category, metadata: &metadata, chunks: &[chunk] };
        database.put("c", &document).unwrap();
        assert_eq!(database.stored_hash("c", &document).unwrap().as_deref(), Some("h"));
    }

    fn ask(database: &Database, text: &str, category: Option<&str>, year: &str) -> Vec<String> {
        let metadata = BTreeMap::from([("year".to_owned(), year.to_owned())]);
        let question = Question { collection: "c", text, category, metadata: &metadata };
        let found = database.ask(&question).unwrap().unwrap_or_default();
        found.into_iter().map(|found| found.path).collect()
    }

    #[test]
    fn documents_are_found_replaced_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut database = Database::open(folder.path()).unwrap();
        put(&mut database, "a.md", "Invoices are sent by mail.", Some("billing"));
        put(&mut database, "b.md", "The window opens on the left.", None);
        assert_eq!(ask(&database, "invoices", None, "2020")[0], "a.md");
        assert_eq!(ask(&database, "when do I have to pay", None, "2020")[0], "a.md");
        assert_eq!(ask(&database, "window", Some("billing"), "2020"), ["a.md"]);
        assert!(ask(&database, "window", None, "2021").is_empty());
        assert!(ask(&database, "\" OR * NEAR(", None, "2020").len() <= 2);
        put(&mut database, "a.md", "Nothing of that kind.", Some("billing"));
        let sizes = database.collections().unwrap();
        assert_eq!((sizes[0].documents, sizes[0].chunks), (2, 2));
        assert_eq!(database.remove_gone("c", |path| path == "b.md").unwrap(), 1);
        assert_eq!(ask(&database, "window invoices", None, "2020"), ["a.md"]);
        database.remove("c").unwrap();
        assert!(database.collections().unwrap().is_empty());
        let left: i64 = database
            .connection
            .query_row(
                "SELECT (SELECT count(*) FROM signs) + (SELECT count(*) FROM chunks)",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(left, 0);
    }
}
