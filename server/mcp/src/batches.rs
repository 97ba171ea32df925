//! JSON-RPC batches: the answers to the requests of one go out together.

use std::collections::HashMap;

use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, TxJsonRpcMessage};

/// Most messages in a batch.
pub(crate) const MAX_BATCH: usize = 100;
/// Batches that wait for answers at a time.
const MAX_OPEN: usize = 8;
/// Most bytes of answers that are kept for one batch. Beyond that they are sent in several arrays.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// The batches whose requests were not all answered yet.
#[derive(Default)]
pub(crate) struct Batches {
    batch_of: HashMap<RequestId, u64>,
    open: HashMap<u64, Batch>,
    next: u64,
}

struct Batch {
    unanswered: usize,
    /// The answers, as the beginning of an array. Empty without any.
    answers: Vec<u8>,
}

impl Batch {
    fn add(&mut self, answer: &[u8]) {
        self.answers.push(if self.answers.is_empty() { b'[' } else { b',' });
        self.answers.extend_from_slice(answer);
    }

    /// The array of the answers so far.
    fn take(&mut self) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.answers);
        if line.is_empty() {
            return None;
        }
        line.push(b']');
        Some(line)
    }
}

impl Batches {
    /// Begins a batch with these requests and the errors of messages that are none. Returns the line to
    /// send at once, if nothing is to be waited for.
    ///
    /// # Errors
    /// If the batch is refused.
    pub(crate) fn begin(
        &mut self,
        requests: Vec<RequestId>,
        errors: Vec<(ErrorData, Option<RequestId>)>,
    ) -> Result<Option<Vec<u8>>, &'static str> {
        if self.open.len() >= MAX_OPEN {
            return Err("too many open batches; wait for the answers to the others");
        }
        let number = self.next;
        let mut batch_of = HashMap::new();
        for id in requests {
            let is_known = self.batch_of.contains_key(&id);
            if is_known || batch_of.insert(id, number).is_some() {
                return Err("two requests have the same id");
            }
        }
        self.next += 1;
        let mut batch = Batch { unanswered: batch_of.len(), answers: Vec::new() };
        for (error, id) in errors {
            let error: TxJsonRpcMessage<RoleServer> = JsonRpcMessage::error(error, id);
            batch.add(&serde_json::to_vec(&error).unwrap_or_default());
        }
        if batch.unanswered == 0 {
            return Ok(batch.take());
        }
        self.batch_of.extend(batch_of);
        self.open.insert(number, batch);
        Ok(None)
    }

    /// Takes the answer to a request. Returns the line to send now, if any: the answer itself, or an
    /// array.
    pub(crate) fn answer(&mut self, id: &RequestId, answer: Vec<u8>) -> Option<Vec<u8>> {
        match self.batch_of.remove(id) {
            Some(number) => self.settle(number, Some(&answer)),
            None => Some(answer),
        }
    }

    /// Notes that a request will not be answered. Returns the line to send now, if any.
    pub(crate) fn cancel(&mut self, id: &RequestId) -> Option<Vec<u8>> {
        let number = self.batch_of.remove(id)?;
        self.settle(number, None)
    }

    fn settle(&mut self, number: u64, answer: Option<&[u8]>) -> Option<Vec<u8>> {
        let batch = self.open.get_mut(&number)?;
        batch.unanswered -= 1;
        if let Some(answer) = answer {
            batch.add(answer);
        }
        if batch.unanswered > 0 && batch.answers.len() < MAX_KEPT_BYTES {
            return None;
        }
        let line = batch.take();
        if batch.unanswered == 0 {
            self.open.remove(&number);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[test]
    fn answers_wait_for_each_other() {
        let mut batches = Batches::default();
        assert_eq!(batches.begin(vec![id(1), id(2), id(3)], Vec::new()), Ok(None));
        assert_eq!(batches.answer(&id(2), b"two".to_vec()), None);
        assert_eq!(batches.answer(&id(7), b"alone".to_vec()).as_deref(), Some(&b"alone"[..]));
        assert_eq!(batches.cancel(&id(1)), None);
        let line = batches.answer(&id(3), b"three".to_vec());
        assert_eq!(line.as_deref(), Some(&b"[two,three]"[..]));
        assert!(batches.open.is_empty() && batches.batch_of.is_empty());
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut batches = Batches::default();
        assert!(batches.begin(vec![id(0), id(0)], Vec::new()).is_err());
        for number in 0..8 {
            assert_eq!(batches.begin(vec![id(number), id(100 + number)], Vec::new()), Ok(None));
        }
        assert!(batches.begin(vec![id(99)], Vec::new()).is_err());
        let long = vec![b'x'; MAX_KEPT_BYTES];
        assert_eq!(batches.answer(&id(0), long).map(|line| line.len()), Some(MAX_KEPT_BYTES + 2));
        assert_eq!(batches.answer(&id(100), b"y".to_vec()).as_deref(), Some(&b"[y]"[..]));
    }

    #[test]
    fn a_batch_of_cancelled_requests_has_no_answer() {
        let mut batches = Batches::default();
        assert_eq!(batches.begin(vec![id(1)], Vec::new()), Ok(None));
        assert_eq!(batches.cancel(&id(1)), None);
        assert_eq!(batches.begin(Vec::new(), Vec::new()), Ok(None));
        let error = ErrorData::invalid_request("no", None);
        let line = batches.begin(Vec::new(), vec![(error, Some(id(4)))]).unwrap().unwrap();
        assert!(line.starts_with(b"[{") && line.ends_with(b"}]"));
    }
}
