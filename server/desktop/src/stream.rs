//! The stream to an X server, on which no wait lasts longer than its call may.

use std::cell::Cell;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use x11rb::rust_connection::{DefaultStream, PollMode, Stream};
use x11rb::utils::RawFdContainer;

use crate::limits::POLL_INTERVAL;

/// The message of the error of a call that was cancelled.
pub(crate) const CANCELLED: &str = "cancelled";

/// A stream with a deadline, which ends when the call is cancelled.
pub(crate) struct TimedStream<'c> {
    inner: DefaultStream,
    deadline: Cell<Instant>,
    interrupt: &'c AtomicBool,
}

impl<'c> TimedStream<'c> {
    pub(crate) fn new(inner: DefaultStream, deadline: Instant, interrupt: &'c AtomicBool) -> Self {
        Self { inner, deadline: Cell::new(deadline), interrupt }
    }

    /// Allows more time.
    pub(crate) fn set_deadline(&self, deadline: Instant) {
        self.deadline.set(deadline);
    }

    /// An error once the time is over or the call is cancelled.
    pub(crate) fn check(&self) -> Result<()> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Error::other(CANCELLED));
        }
        if Instant::now() >= self.deadline.get() {
            return Err(ErrorKind::TimedOut.into());
        }
        Ok(())
    }
}

impl Stream for TimedStream<'_> {
    fn poll(&self, mode: PollMode) -> Result<()> {
        let mut wanted = PollFlags::empty();
        wanted.set(PollFlags::IN, mode.readable());
        wanted.set(PollFlags::OUT, mode.writable());
        let interval = Timespec { tv_sec: 0, tv_nsec: i64::from(POLL_INTERVAL.subsec_nanos()) };
        loop {
            let mut one = [PollFd::from_borrowed_fd(self.inner.as_fd(), wanted)];
            match poll(&mut one, Some(&interval)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => self.check()?,
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn read(&self, buffer: &mut [u8], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        self.inner.read(buffer, fds)
    }

    fn write(&self, buffer: &[u8], fds: &mut Vec<RawFdContainer>) -> Result<usize> {
        self.inner.write(buffer, fds)
    }
}
