//! Collections of documents, which people and agents choose: what is in them, and passages of them.
//!
//! One SQLite database in the state folder holds them. A document is stored in one transaction with its content's
//! hash, so an ingestion that was killed goes on where it was.

mod database;
mod html;
mod rag_collections;
mod rag_ingest;
mod rag_query;

pub(crate) use self::rag_collections::RagCollections;
pub(crate) use self::rag_ingest::RagIngest;
pub(crate) use self::rag_query::RagQuery;

use tools::{Code, Context, ToolError};
use workspace::state_folder;

use self::database::Database;

/// The collection of calls that name none.
const DEFAULT_COLLECTION: &str = "documents";
/// Longest name of a collection, or category, in bytes.
const MAX_NAME: usize = 100;

fn default_collection() -> String {
    DEFAULT_COLLECTION.to_owned()
}

/// Opens the workspace's collections.
fn open(context: &Context<'_>, tool: &str) -> Result<Database, ToolError> {
    let folder = state_folder(context.snapshot.roots());
    let folder = folder.map_err(|error| failed(tool, &error.to_string()))?;
    Database::open(&folder).map_err(|error| failed(tool, &error.to_string()))
}

fn failed(tool: &str, why: &str) -> ToolError {
    ToolError::new(Code::Io, format!("{tool}: the collections: {why}"))
}

fn check_name(tool: &str, parameter: &str, name: &str) -> Result<(), ToolError> {
    let is_good =
        !name.trim().is_empty() && name.len() <= MAX_NAME && !name.contains(char::is_control);
    let message = format!("{tool}: `{parameter}` must be a name of 1 to {MAX_NAME} bytes");
    if is_good { Ok(()) } else { Err(ToolError::new(Code::InvalidParams, message)) }
}
