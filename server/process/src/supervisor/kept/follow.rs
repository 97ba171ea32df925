//! Brings the output of a kept process to a supervisor.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::wire::{Ended, Frame};
use crate::supervisor::ProcessStatus;
use crate::supervisor::supervised::{Shared, SupervisedProcess};

/// Output in one frame, in bytes.
const PIECE: usize = 64 << 10;
/// How long a supervisor may take for one frame. One that needs longer connects again.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a keeper looks whether it is needed.
const TICK: Duration = Duration::from_secs(1);
/// How long the output that was there before may take. It is a megabyte at most.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(2);
/// The stack of a thread that calls nothing deep.
const STACK_SIZE: usize = 256 << 10;

/// Sends the output and the end, in the keeper.
pub(super) fn send(process: &SupervisedProcess, mut to: &UnixStream) -> io::Result<()> {
    to.set_write_timeout(Some(WRITE_TIMEOUT))?;
    let mut cursor = 0;
    let mut missing = Some(process.output_range().1);
    loop {
        if missing.is_some_and(|end| cursor >= end) {
            Frame::CaughtUp.write(&mut to)?;
            missing = None;
        }
        let ended = process.ended();
        let piece = process.output(cursor, PIECE);
        if !piece.bytes.is_empty() {
            cursor = piece.start + piece.bytes.len() as u64;
            Frame::Output(piece.start, piece.bytes).write(&mut to)?;
        } else if let Some((status, at)) = ended {
            let ended = serde_json::to_vec(&Ended { status, at })?;
            Frame::Ended(ended).write(&mut to)?;
            return to.flush();
        } else {
            process.wait_for_change(cursor, Instant::now() + TICK);
        }
    }
}

/// Starts the thread that receives the output and the end, in a supervisor. Returns once the earlier output has
/// arrived, so that the first call after a restart can read it.
pub(super) fn receive(mut from: UnixStream, shared: Arc<Shared>) -> io::Result<()> {
    let (caught_up, is_caught_up) = mpsc::sync_channel(1);
    let follow = move || {
        let ended = loop {
            match Frame::read(&mut from) {
                Ok(Frame::Output(offset, bytes)) => shared.push_at(offset, &bytes),
                Ok(Frame::CaughtUp) => drop(caught_up.try_send(())),
                Ok(Frame::Ended(json)) => break serde_json::from_slice::<Ended>(&json).ok(),
                // The keeper was killed, and with it the process; or this supervisor ends.
                Err(_) => break None,
            }
        };
        let ended = ended.unwrap_or_else(|| Ended {
            status: ProcessStatus::Killed,
            at: std::time::SystemTime::now(),
        });
        shared.end(ended.status, ended.at);
    };
    let thread = std::thread::Builder::new().name("kept output".to_owned()).stack_size(STACK_SIZE);
    thread.spawn(follow)?;
    // An error: the process has ended, or its keeper hangs. What comes later is shown later.
    let _ = is_caught_up.recv_timeout(CATCH_UP_TIMEOUT);
    Ok(())
}
