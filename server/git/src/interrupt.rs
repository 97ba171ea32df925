//! Whether anybody still wants the result.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::GitError;

/// A flag that ends long work once it is set.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt<'a>(pub &'a AtomicBool);

static NEVER: AtomicBool = AtomicBool::new(false);

impl Interrupt<'_> {
    /// One that never comes.
    pub const NEVER: Interrupt<'static> = Interrupt(&NEVER);

    /// # Errors
    /// Once the flag is set.
    pub fn check(self) -> Result<(), GitError> {
        if self.0.load(Ordering::Relaxed) { Err(GitError::Cancelled) } else { Ok(()) }
    }
}
