//! The sessions of HTTP clients, on disk, so that they outlive the server.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rmcp::transport::streamable_http_server::session::{
    SessionState, SessionStore, SessionStoreError,
};
use tokio::fs;

/// The folder in the workspace's folder for secrets: a session's id lets its client continue.
const FOLDER: &str = "mcp-sessions";
/// Sessions kept; the oldest go first.
const MAX_SESSIONS: usize = 200;
/// Longest stored session, in bytes; longer ones end with the server.
const MAX_BYTES: usize = 64 << 10;

/// One file a session: what its client sent to initialize.
#[derive(Debug)]
pub(super) struct SessionFiles {
    folder: PathBuf,
}

impl SessionFiles {
    pub(super) fn new(secrets: &Path) -> Self {
        Self { folder: secrets.join(FOLDER) }
    }

    /// The file of a session. Its id comes from a client.
    fn file(&self, id: &str) -> Result<PathBuf, SessionStoreError> {
        let is_id = (1..=64).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if is_id { Ok(self.folder.join(id)) } else { Err("not a session's id".into()) }
    }

    /// Removes the oldest sessions beyond the limit.
    async fn remove_oldest(&self) -> std::io::Result<()> {
        let mut entries = fs::read_dir(&self.folder).await?;
        let mut sessions: Vec<(SystemTime, PathBuf)> = Vec::new();
        while let Some(entry) = entries.next_entry().await? {
            let modified = entry.metadata().await.and_then(|metadata| metadata.modified());
            sessions.push((modified.unwrap_or(SystemTime::UNIX_EPOCH), entry.path()));
        }
        sessions.sort();
        let surplus = sessions.len().saturating_sub(MAX_SESSIONS);
        for (_, file) in sessions.into_iter().take(surplus) {
            fs::remove_file(file).await?;
        }
        Ok(())
    }
}

#[async_trait::async_trait]
impl SessionStore for SessionFiles {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        match fs::read(self.file(id)?).await {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let bytes = serde_json::to_vec(state)?;
        if bytes.len() > MAX_BYTES {
            return Ok(());
        }
        fs::create_dir_all(&self.folder).await?;
        fs::write(self.file(id)?, bytes).await?;
        self.remove_oldest().await?;
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        match fs::remove_file(self.file(id)?).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}
