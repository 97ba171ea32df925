//! Runs programs for the adapter (`runInTerminal`), without a terminal. Each runs in the adapter's
//! sandbox and ends with it at the latest. Its output becomes the session's output; its input is
//! empty.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::PipeReader;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use process::ExtraProgram;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

use super::Session;
use super::state::SharedState;

/// Limit of concurrently running programs of a session.
const MAX_PROGRAMS: usize = 32;
/// Limits of the arguments' number, and of the size of arguments and environment in bytes.
const MAX_ARGUMENTS: usize = 10_000;
const MAX_ARGUMENTS_SIZE: usize = 512 << 10;

#[derive(Deserialize)]
struct RunInTerminalArguments {
    args: Vec<String>,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    env: BTreeMap<String, Option<String>>,
}

impl RunInTerminalArguments {
    fn check(&self) -> Result<(), String> {
        let names = self.env.keys();
        let values = self.env.values().flatten();
        let texts = || self.args.iter().chain(names.clone()).chain(values.clone());
        let is_named = |name: &String| !name.is_empty() && !name.contains('=');
        if self.args.first().is_none_or(String::is_empty) || !self.env.keys().all(is_named) {
            return Err("the program or a variable has no name".to_owned());
        }
        if texts().count() > MAX_ARGUMENTS
            || texts().map(String::len).sum::<usize>() > MAX_ARGUMENTS_SIZE
        {
            return Err("its arguments and environment are too large".to_owned());
        }
        if texts().chain([&self.cwd]).any(|text| text.contains('\0')) {
            return Err("it contains a NUL".to_owned());
        }
        Ok(())
    }
}

impl Session {
    /// Runs a program beside the adapter and returns its process id as the adapter sees it.
    pub(super) async fn run_in_terminal(&self, arguments: &Value) -> Result<Value, String> {
        let request =
            RunInTerminalArguments::deserialize(arguments).map_err(|error| error.to_string())?;
        request.check()?;
        let proxy = self.connector.proxy.clone().ok_or("programs cannot be run here")?;
        let slot = ProgramSlot::reserve(&self.shared.terminal_streams)
            .ok_or_else(|| format!("{MAX_PROGRAMS} such programs are running already"))?;
        let failed = |error: std::io::Error| error.to_string();
        let cwd = match request.cwd.as_str() {
            "" => self.cwd.clone(),
            cwd => PathBuf::from(cwd),
        };
        let (output, stdout) = std::io::pipe().map_err(failed)?;
        let (errors, stderr) = std::io::pipe().map_err(failed)?;
        let program = ExtraProgram {
            program: request.args,
            cwd,
            environment: request.env.into_iter().collect(),
            stdin: OwnedFd::from(File::open("/dev/null").map_err(failed)?),
            stdout: stdout.into(),
            stderr: stderr.into(),
        };
        let started = tokio::task::spawn_blocking(move || proxy.start(program)).await;
        let pid = started.map_err(|error| error.to_string())?.map_err(failed)?;
        let slot = Arc::new(slot);
        for (category, from) in [("stdout", output), ("stderr", errors)] {
            let from = receiver(from).map_err(failed)?;
            tokio::spawn(copy_output(from, self.shared.clone(), category, slot.clone()));
        }
        Ok(json!({ "processId": pid }))
    }
}

fn receiver(from: PipeReader) -> std::io::Result<pipe::Receiver> {
    pipe::Receiver::from_file(File::from(OwnedFd::from(from)))
}

/// Counts one program until its output has ended.
struct ProgramSlot(Arc<AtomicUsize>);

impl ProgramSlot {
    fn reserve(counter: &Arc<AtomicUsize>) -> Option<Self> {
        let increment = |taken: usize| (taken < MAX_PROGRAMS).then_some(taken + 1);
        counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, increment).ok()?;
        Some(Self(counter.clone()))
    }
}

impl Drop for ProgramSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn copy_output(
    mut from: pipe::Receiver,
    shared: Arc<SharedState>,
    category: &'static str,
    slot: Arc<ProgramSlot>,
) {
    let mut buffer = vec![0; 8 << 10];
    let mut parts = Vec::new();
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        parts.extend_from_slice(&buffer[..count]);
        shared.write_output(category, &take_complete_chars(&mut parts));
        shared.notify_changed();
    }
    if !parts.is_empty() {
        shared.write_output(category, &String::from_utf8_lossy(&parts));
    }
    drop(slot);
    shared.notify_changed();
}

/// Takes the complete characters out of `pending`; an incomplete one at the end stays.
fn take_complete_chars(parts: &mut Vec<u8>) -> String {
    let end = match std::str::from_utf8(parts) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => {
            // There is invalid UTF-8: only the last three bytes may be the start of a character.
            let last = (1..=parts.len().min(3)).find(|back| {
                let tail = &parts[parts.len() - back..];
                tail[0] >= 0xC0 && std::str::from_utf8(tail).is_err_and(|e| e.error_len().is_none())
            });
            parts.len() - last.unwrap_or(0)
        }
        Ok(_) => parts.len(),
    };
    let rest = parts.split_off(end);
    let text = String::from_utf8_lossy(parts).into_owned();
    *parts = rest;
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_character_is_joined() {
        let mut parts = "aé€".as_bytes()[..5].to_vec();
        assert_eq!(take_complete_chars(&mut parts), "aé");
        parts.extend_from_slice(&"€".as_bytes()[2..]);
        assert_eq!((take_complete_chars(&mut parts).as_str(), parts.len()), ("€", 0));
        let mut parts = b"\xFFx\xE2\x82".to_vec();
        assert_eq!((take_complete_chars(&mut parts).as_str(), parts.len()), ("\u{FFFD}x", 2));
    }

    #[test]
    fn invalid_arguments_are_refused() {
        let request = |value: Value| RunInTerminalArguments::deserialize(&value).unwrap().check();
        assert!(request(json!({ "args": ["a", ""], "env": { "B": null, "C": "d" } })).is_ok());
        for bad in [
            json!({ "args": [] }),
            json!({ "args": [""] }),
            json!({ "args": ["a\0"] }),
            json!({ "args": ["a"], "env": { "": "x" } }),
            json!({ "args": ["a"], "env": { "X=Y": "x" } }),
            json!({ "args": vec!["x"; MAX_ARGUMENTS + 1] }),
            json!({ "args": ["x".repeat(MAX_ARGUMENTS_SIZE + 1)] }),
        ] {
            assert!(request(bad).is_err());
        }
        let taken = Arc::default();
        let places: Vec<_> =
            (0..MAX_PROGRAMS).map_while(|_| ProgramSlot::reserve(&taken)).collect();
        assert!(places.len() == MAX_PROGRAMS && ProgramSlot::reserve(&taken).is_none());
        drop(places);
        assert!(ProgramSlot::reserve(&taken).is_some());
    }
}
