//! The secret that clients of a TCP port must show: other users of the machine reach the port, too.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::effective_user_id;

/// Random bytes of a token.
const LENGTH: usize = 32;

/// The token of one of a workspace's ports. It stays the same, so that clients can be set up with it.
#[derive(Debug, Clone)]
pub struct AccessToken {
    text: Arc<str>,
    file: Arc<Path>,
}

impl AccessToken {
    /// The token in the file `name` of `folder`, which is the workspace's folder for secrets; created
    /// if there is none.
    ///
    /// # Errors
    /// If it cannot be read or written, or if other users could read it.
    pub fn load_or_create(folder: &Path, name: &str) -> Result<Self, String> {
        let file = folder.join(name);
        let loaded = load(&file).and_then(|known| match known {
            Some(text) => Ok(text),
            None => create(&file),
        });
        let text = loaded.map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(Self { text: text.into(), file: file.into() })
    }

    /// Its file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether `shown` is the token. Takes the same time wherever they differ.
    #[must_use]
    pub fn is(&self, shown: &[u8]) -> bool {
        let known = self.text.as_bytes();
        let differences = known.iter().zip(shown).fold(0, |all, (a, b)| all | (a ^ b));
        shown.len() == known.len() && differences == 0
    }
}

/// The token in `file`; `None` if there is none.
fn load(file: &Path) -> io::Result<Option<String>> {
    let options = OpenOptions::new().read(true).custom_flags(libc_flags()).to_owned();
    let mut opened = match options.open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = opened.metadata()?;
    let is_private = metadata.mode() & 0o077 == 0 && metadata.uid() == effective_user_id();
    if !metadata.is_file() || !is_private {
        return Err(io::Error::other("others can read the token; delete the file"));
    }
    let mut text = String::new();
    (&mut opened).take(2 * LENGTH as u64 + 2).read_to_string(&mut text)?;
    let text = text.trim_end();
    let is_whole = text.len() == 2 * LENGTH && text.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_whole {
        return Err(io::Error::other("this is no token; delete the file"));
    }
    Ok(Some(text.to_owned()))
}

/// Writes a new token, or loads the one of a server that was faster.
fn create(file: &Path) -> io::Result<String> {
    let mut random = [0; LENGTH];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let text: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    // Written under another name, so that nobody loads half of it.
    let new: PathBuf = file.with_extension(std::process::id().to_string());
    let _ = fs::remove_file(&new);
    let mut written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    written.write_all(format!("{text}\n").as_bytes())?;
    let linked = fs::hard_link(&new, file);
    fs::remove_file(&new)?;
    match linked {
        Ok(()) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            load(file)?.ok_or_else(|| io::ErrorKind::NotFound.into())
        }
        Err(error) => Err(error),
    }
}

/// Neither links nor FIFOs are followed or waited for.
fn libc_flags() -> i32 {
    rustix::fs::OFlags::union(rustix::fs::OFlags::NOFOLLOW, rustix::fs::OFlags::NONBLOCK)
        .bits()
        .cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_private_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let token = AccessToken::load_or_create(folder.path(), "token").unwrap();
        let again = AccessToken::load_or_create(folder.path(), "token").unwrap();
        assert_eq!(token.text, again.text);
        assert_eq!(fs::metadata(token.file()).unwrap().mode() & 0o777, 0o600);
        assert!(token.is(token.text.as_bytes()));
        let shorter = &token.text.as_bytes()[1..];
        let longer = format!("{}0", token.text);
        for wrong in [b"".as_slice(), shorter, longer.as_bytes(), &[b'0'; 2 * LENGTH]] {
            assert!(!token.is(wrong));
        }
    }

    #[test]
    fn a_token_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = AccessToken::load_or_create(folder.path(), "token").unwrap().file().to_owned();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(
            AccessToken::load_or_create(folder.path(), "token")
                .unwrap_err()
                .contains("others can read")
        );
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "short").unwrap();
        assert!(
            AccessToken::load_or_create(folder.path(), "token").unwrap_err().contains("no token")
        );
    }
}
