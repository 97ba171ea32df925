//! What a session has spent, and what it knows of models.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tools::{Code, Context, FamilyState, ToolError};

use crate::limits::{BYTES_PER_TOKEN, MAX_KNOWN_DIMENSIONS};

/// The state of a session.
#[derive(Default)]
pub(crate) struct ModelSession {
    spent: AtomicU64,
    dimensions: Mutex<HashMap<(String, String), usize>>,
}

impl FamilyState for ModelSession {}

/// Tokens that a call may spend. What it does not spend goes back to the session.
pub(crate) struct Allowance<'s> {
    session: &'s ModelSession,
    reserved: u64,
    spent: u64,
    /// Tokens of the answer that the session still has.
    pub(crate) answer: u64,
}

impl ModelSession {
    /// Sets tokens aside for a prompt of this size and an answer of at most `answer` tokens; fewer, if the session
    /// has fewer.
    pub(crate) fn reserve<'s>(
        context: &Context<'s>,
        tool: &str,
        prompt_bytes: usize,
        answer: u64,
    ) -> Result<Allowance<'s>, ToolError> {
        let limit = context.session.policy.model_settings().session_tokens;
        let session = context.session.family::<Self>();
        session.reserve_within(limit, tool, estimated_tokens(prompt_bytes), answer)
    }

    fn reserve_within(
        &self,
        limit: u64,
        tool: &str,
        prompt: u64,
        answer: u64,
    ) -> Result<Allowance<'_>, ToolError> {
        let mut granted = 0;
        let reserved = self.spent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |spent| {
            let left = limit.saturating_sub(spent).saturating_sub(prompt);
            granted = answer.min(left);
            let is_enough = spent + prompt <= limit && (answer == 0 || granted > 0);
            is_enough.then_some(spent + prompt + granted)
        });
        match reserved {
            Ok(_) => {
                let (reserved, spent, answer) = (prompt + granted, 0, granted);
                Ok(Allowance { session: self, reserved, spent, answer })
            }
            Err(spent) => {
                let message = format!(
                    "{tool}: this session has spent {spent} of its {limit} tokens, and this call needs at least {}",
                    prompt + answer.min(1)
                );
                Err(ToolError::new(Code::TooLarge, message).hint(
                    "shorten the prompt; `session_tokens` in the table `models` of config.toml allows more",
                ))
            }
        }
    }

    /// Whether a model's embeddings have as many dimensions as before; the number that they had if not.
    pub(crate) fn check_dimensions(
        &self,
        backend: &str,
        model: &str,
        dimensions: usize,
    ) -> Result<(), usize> {
        let mut known = self.dimensions.lock();
        let key = (backend.to_owned(), model.to_owned());
        match known.get(&key) {
            Some(before) if *before != dimensions => return Err(*before),
            Some(_) => {}
            None if known.len() < MAX_KNOWN_DIMENSIONS => drop(known.insert(key, dimensions)),
            None => {}
        }
        Ok(())
    }
}

impl Allowance<'_> {
    /// Counts what was spent.
    pub(crate) fn spend(&mut self, tokens: u64) {
        self.spent += tokens;
    }
}

impl Drop for Allowance<'_> {
    fn drop(&mut self) {
        // A server may count more tokens than were set aside.
        let (reserved, spent) = (self.reserved, self.spent);
        let _ = self.session.spent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |total| {
            Some(total.saturating_sub(reserved).saturating_add(spent))
        });
    }
}

/// The tokens of a text, where nobody counts them.
pub(crate) fn estimated_tokens(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_cannot_spend_more_than_it_has() {
        let session = ModelSession::default();
        let mut first = session.reserve_within(100, "t", 20, 50).unwrap();
        // Tokens that another call has set aside are not there.
        let second = session.reserve_within(100, "t", 20, 50).unwrap();
        assert_eq!((first.answer, second.answer), (50, 10));
        assert_eq!(
            session.reserve_within(100, "t", 1, 1).err().map(|e| e.code),
            Some(Code::TooLarge)
        );
        drop(second);
        first.spend(30);
        drop(first);
        let third = session.reserve_within(100, "t", 60, 50).unwrap();
        assert_eq!(third.answer, 10);
        drop(third);
        assert!(
            session.reserve_within(100, "t", 70, 1).is_err(),
            "no token is left for the answer"
        );
        assert!(session.reserve_within(100, "t", 70, 0).is_ok(), "an embedding has no answer");
    }

    #[test]
    fn dimensions_of_a_model_do_not_change() {
        let session = ModelSession::default();
        assert_eq!(session.check_dimensions("b", "m", 3), Ok(()));
        assert_eq!(session.check_dimensions("b", "m", 4), Err(3));
        assert_eq!(session.check_dimensions("b", "other", 4), Ok(()));
    }
}
