//! Programs that an adapter has its client run, in a terminal as it believes. Each runs where the
//! adapter does, behind the same walls, and ends with it at the latest; what it writes is output of
//! the session, and it reads nothing.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::PipeReader;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use process::Guest;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

use super::Session;
use super::state::Shared;

/// Most of a session that run at a time.
const MOST: usize = 32;
/// Most arguments, and bytes of arguments and environment.
const MOST_WORDS: usize = 10_000;
const LONGEST: usize = 512 << 10;

#[derive(Deserialize)]
struct Wanted {
    args: Vec<String>,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    env: BTreeMap<String, Option<String>>,
}

impl Wanted {
    fn check(&self) -> Result<(), String> {
        let names = self.env.keys();
        let values = self.env.values().flatten();
        let texts = || self.args.iter().chain(names.clone()).chain(values.clone());
        let is_named = |name: &String| !name.is_empty() && !name.contains('=');
        if self.args.first().is_none_or(String::is_empty) || !self.env.keys().all(is_named) {
            return Err("it names no program, or no variable".to_owned());
        }
        if texts().count() > MOST_WORDS || texts().map(String::len).sum::<usize>() > LONGEST {
            return Err("its arguments and environment are too long".to_owned());
        }
        if texts().chain([&self.cwd]).any(|text| text.contains('\0')) {
            return Err("it holds a NUL".to_owned());
        }
        Ok(())
    }
}

impl Session {
    /// Runs a program beside the adapter, and answers with its number as the adapter sees it.
    pub(super) async fn run_in_terminal(&self, arguments: &Value) -> Result<Value, String> {
        let wanted = Wanted::deserialize(arguments).map_err(|error| error.to_string())?;
        wanted.check()?;
        let door = self.way.door.clone().ok_or("nothing can be run here")?;
        let place = Place::take(&self.shared.in_terminals)
            .ok_or_else(|| format!("{MOST} programs run already that were wanted so"))?;
        let failed = |error: std::io::Error| error.to_string();
        let cwd = match wanted.cwd.as_str() {
            "" => self.cwd.clone(),
            cwd => PathBuf::from(cwd),
        };
        let (output, stdout) = std::io::pipe().map_err(failed)?;
        let (errors, stderr) = std::io::pipe().map_err(failed)?;
        let guest = Guest {
            program: wanted.args,
            cwd,
            environment: wanted.env.into_iter().collect(),
            stdin: OwnedFd::from(File::open("/dev/null").map_err(failed)?),
            stdout: stdout.into(),
            stderr: stderr.into(),
        };
        let started = tokio::task::spawn_blocking(move || door.start(guest)).await;
        let pid = started.map_err(|error| error.to_string())?.map_err(failed)?;
        let place = Arc::new(place);
        for (category, from) in [("stdout", output), ("stderr", errors)] {
            let from = receiver(from).map_err(failed)?;
            tokio::spawn(write_on(from, self.shared.clone(), category, place.clone()));
        }
        Ok(json!({ "processId": pid }))
    }
}

fn receiver(from: PipeReader) -> std::io::Result<pipe::Receiver> {
    pipe::Receiver::from_file(File::from(OwnedFd::from(from)))
}

/// What one of them takes up, until its output has ended.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(of: &Arc<AtomicUsize>) -> Option<Self> {
        let more = |taken: usize| (taken < MOST).then_some(taken + 1);
        of.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self(of.clone()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn write_on(
    mut from: pipe::Receiver,
    to: Arc<Shared>,
    category: &'static str,
    place: Arc<Place>,
) {
    let mut buffer = vec![0; 8 << 10];
    let mut begun = Vec::new();
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        begun.extend_from_slice(&buffer[..count]);
        to.write(category, &whole(&mut begun));
        to.tell();
    }
    if !begun.is_empty() {
        to.write(category, &String::from_utf8_lossy(&begun));
    }
    drop(place);
    to.tell();
}

/// The text so far, without the beginning of a character whose rest has not come, which stays.
fn whole(begun: &mut Vec<u8>) -> String {
    let end = match std::str::from_utf8(begun) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => {
            // Something is no text: what may still become a character is at the very end.
            let last = (1..=begun.len().min(3)).find(|back| {
                let tail = &begun[begun.len() - back..];
                tail[0] >= 0xC0 && std::str::from_utf8(tail).is_err_and(|e| e.error_len().is_none())
            });
            begun.len() - last.unwrap_or(0)
        }
        Ok(_) => begun.len(),
    };
    let rest = begun.split_off(end);
    let text = String::from_utf8_lossy(begun).into_owned();
    *begun = rest;
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_in_two_pieces_comes_whole() {
        let mut begun = "aé€".as_bytes()[..5].to_vec();
        assert_eq!(whole(&mut begun), "aé");
        begun.extend_from_slice(&"€".as_bytes()[2..]);
        assert_eq!((whole(&mut begun).as_str(), begun.len()), ("€", 0));
        let mut begun = b"\xFFx\xE2\x82".to_vec();
        assert_eq!((whole(&mut begun).as_str(), begun.len()), ("\u{FFFD}x", 2));
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        let wanted = |value: Value| Wanted::deserialize(&value).unwrap().check();
        assert!(wanted(json!({ "args": ["a", ""], "env": { "B": null, "C": "d" } })).is_ok());
        for bad in [
            json!({ "args": [] }),
            json!({ "args": [""] }),
            json!({ "args": ["a\0"] }),
            json!({ "args": ["a"], "env": { "": "x" } }),
            json!({ "args": ["a"], "env": { "X=Y": "x" } }),
            json!({ "args": vec!["x"; MOST_WORDS + 1] }),
            json!({ "args": ["x".repeat(LONGEST + 1)] }),
        ] {
            assert!(wanted(bad).is_err());
        }
        let taken = Arc::default();
        let places: Vec<_> = (0..MOST).map_while(|_| Place::take(&taken)).collect();
        assert!(places.len() == MOST && Place::take(&taken).is_none());
        drop(places);
        assert!(Place::take(&taken).is_some());
    }
}
