//! Finds dialects: the built-in ones and the person's own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use workspace::{Stamp, config_folder, read_user_file, user_file_stamp};

use super::tool::Dialect;
use crate::{Code, ToolError};

/// The built-in dialects.
pub(super) const BUILT_IN: &[(&str, &str)] = &[
    ("blade", include_str!("blade.toml")),
    ("zap", include_str!("zap.toml")),
    ("arawn", include_str!("arawn.toml")),
    ("go-ai", include_str!("go-ai.toml")),
    ("ai-orchestrator", include_str!("ai-orchestrator.toml")),
    ("claude-code", include_str!("claude-code.toml")),
    ("codex", include_str!("codex.toml")),
    ("cursor", include_str!("cursor.toml")),
    ("vscode-agent", include_str!("vscode-agent.toml")),
    ("serena", include_str!("serena.toml")),
    ("filesystem", include_str!("filesystem.toml")),
];

/// Where a person's own dialects are, in the settings folder. A workspace's are never read: a repository
/// may be hostile.
const FOLDER: &str = "dialects";
/// Size limit of a dialect file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Longest name of a dialect.
const MAX_NAME_BYTES: usize = 40;

/// The dialects that were loaded, with the stamp of the file if it is a person's own.
static LOADED: Mutex<Option<HashMap<String, LoadedDialect>>> = Mutex::new(None);

type LoadedDialect = (Option<Stamp>, Arc<Dialect>);

/// The dialect called `name`. A person's own file replaces a built-in dialect of the same name, and is
/// read again when it changes.
///
/// # Errors
/// `E_INVALID_PARAMS` for an unknown name, and for a file with mistakes, with the first of them.
pub fn dialect(name: &str) -> Result<Arc<Dialect>, ToolError> {
    let is_name =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.bytes().all(is_name) {
        return Err(unknown(name));
    }
    let own = config_folder().map(|folder| folder.join(FOLDER).join(format!("{name}.toml")));
    let stamp = own.as_deref().and_then(user_file_stamp);
    let mut loaded = LOADED.lock();
    let loaded = loaded.get_or_insert_default();
    if let Some((known, dialect)) = loaded.get(name)
        && *known == stamp
    {
        return Ok(dialect.clone());
    }
    let dialect = match own.filter(|_| stamp.is_some()) {
        Some(path) => own_dialect(name, &path)?,
        None => {
            let (_, text) =
                BUILT_IN.iter().find(|(own, _)| *own == name).ok_or_else(|| unknown(name))?;
            Dialect::parse(name, text, None).map_err(|mistake| mistake.into_error(name))?
        }
    };
    let dialect = Arc::new(dialect);
    loaded.insert(name.to_owned(), (stamp, dialect.clone()));
    Ok(dialect)
}

/// The names of the built-in dialects.
pub fn dialect_names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// A person's own dialect, with all its filters compiled, so that every mistake shows at once.
fn own_dialect(name: &str, path: &Path) -> Result<Dialect, ToolError> {
    let unreadable =
        |why: String| ToolError::new(Code::InvalidParams, format!("dialect `{name}`: {why}"));
    let bytes =
        read_user_file(path, MAX_FILE_BYTES).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes.unwrap_or_default());
    let text = text.map_err(|_| unreadable(format!("{}: is not UTF-8", path.display())))?;
    let path: PathBuf = path.to_owned();
    Dialect::from_text(name, &text, Some(path))
}

fn unknown(name: &str) -> ToolError {
    let shown: String = name.chars().take(60).collect();
    let known: Vec<&str> = dialect_names().collect();
    ToolError::new(Code::InvalidParams, format!("unknown dialect `{shown}`")).hint(format!(
        "known: {}; or write your own: ~/.config/tandem/{FOLDER}/NAME.toml; without a dialect, tools have \
         their canonical names",
        known.join(", ")
    ))
}
