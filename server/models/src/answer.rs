//! Reads what a model answers, as it arrives.
//!
//! OpenAI's and Ollama's events share no field with different meanings, so one reader takes both: servers that
//! speak one API often add parts of the other.

use serde_json::Value;

use crate::events::{Event, EventReader};
use crate::limits::{MAX_ANSWER_BYTES, MAX_MODEL_NAME_BYTES, SPARE_EVENTS};

/// An answer so far.
pub(crate) struct AnswerReader {
    events: EventReader,
    most_events: u64,
    text: String,
    finish: Option<String>,
    model: Option<String>,
    usage: Usage,
    stop: Option<Stop>,
}

/// Tokens that a server has counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) prompt: Option<u64>,
    pub(crate) answer: Option<u64>,
}

/// Why an answer is not read on.
enum Stop {
    Done,
    /// It is as long as it may be.
    Full,
    /// The server reports an error.
    Failed(String),
    /// It is no answer.
    Garbage(String),
}

/// An answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// The model that the server names.
    pub(crate) model: Option<String>,
    /// Why it ends, as the server has it: `stop`, `length`.
    pub(crate) finish: Option<String>,
    /// Whether the model had more to write.
    pub(crate) is_cut: bool,
    pub(crate) usage: Usage,
}

/// Why there is no answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Mistake {
    /// The server reports an error.
    Failed(String),
    /// It answered in no form that it documents.
    Garbage(String),
}

impl AnswerReader {
    /// A reader of an answer of at most `tokens`.
    pub(crate) fn new(tokens: u64) -> Self {
        Self {
            events: EventReader::default(),
            // An event has one token or more.
            most_events: tokens.saturating_add(SPARE_EVENTS),
            text: String::new(),
            finish: None,
            model: None,
            usage: Usage::default(),
            stop: None,
        }
    }

    /// Bytes of text so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Events so far.
    pub(crate) fn events(&self) -> u64 {
        self.events.count()
    }

    /// Reads on in a body that begins as it did before. False if nothing more is wanted.
    pub(crate) fn read(&mut self, body: &[u8]) -> bool {
        while self.stop.is_none() {
            match self.events.next(body) {
                Ok(Some(event)) => self.take(event),
                Ok(None) => break,
                Err(why) => self.stop = Some(Stop::Garbage(why)),
            }
        }
        self.stop.is_none()
    }

    /// The answer, once `body` has ended.
    pub(crate) fn end(mut self, body: &[u8]) -> Result<Answer, Mistake> {
        self.read(body);
        if self.stop.is_none() {
            match self.events.last(body) {
                Ok(Some(event)) => self.take(event),
                Ok(None) => {}
                Err(why) => self.stop = Some(Stop::Garbage(why)),
            }
        }
        let is_ended = matches!(self.stop, Some(Stop::Done)) || self.finish.is_some();
        match self.stop {
            Some(Stop::Failed(why)) => return Err(Mistake::Failed(why)),
            Some(Stop::Garbage(why)) => return Err(Mistake::Garbage(why)),
            _ if !is_ended && self.text.is_empty() => {
                let why = if self.events.count() == 0 { "it is empty" } else { "it has no text" };
                return Err(Mistake::Garbage(why.to_owned()));
            }
            _ => {}
        }
        let is_full = matches!(self.stop, Some(Stop::Full));
        let is_cut = is_full || !is_ended || self.finish.as_deref() == Some("length");
        Ok(Answer {
            text: self.text,
            model: self.model,
            finish: self.finish,
            is_cut,
            usage: self.usage,
        })
    }

    fn take(&mut self, event: Event) {
        let value = match event {
            Event::Done => {
                self.stop = Some(Stop::Done);
                return;
            }
            Event::Json(value) => value,
        };
        if let Some(why) = error_text(&value) {
            self.stop = Some(Stop::Failed(why));
            return;
        }
        let choice = &value["choices"][0];
        let contents = [
            &choice["delta"]["content"],
            &choice["message"]["content"],
            &choice["text"],
            &value["message"]["content"],
            &value["response"],
        ];
        for content in contents {
            self.push(content);
        }
        for finish in [&choice["finish_reason"], &value["done_reason"]] {
            if let Some(finish) = finish.as_str() {
                self.finish = Some(finish.chars().take(40).collect());
            }
        }
        if let Some(model) = value["model"].as_str().filter(|m| m.len() <= MAX_MODEL_NAME_BYTES) {
            self.model = Some(model.to_owned());
        }
        let count = |counts: [&Value; 2]| counts.into_iter().find_map(Value::as_u64);
        let usage = &value["usage"];
        self.usage.prompt =
            count([&usage["prompt_tokens"], &value["prompt_eval_count"]]).or(self.usage.prompt);
        self.usage.answer =
            count([&usage["completion_tokens"], &value["eval_count"]]).or(self.usage.answer);
        if value["done"] == true {
            self.stop = Some(Stop::Done);
        } else if self.stop.is_none() && self.events.count() > self.most_events {
            self.stop = Some(Stop::Full);
        }
    }

    /// Adds text: a string, or a list of parts.
    fn push(&mut self, content: &Value) {
        let parts = content.as_array().into_iter().flatten();
        let texts =
            content.as_str().into_iter().chain(parts.filter_map(|part| part["text"].as_str()));
        for text in texts {
            let room = MAX_ANSWER_BYTES - self.text.len();
            self.text.push_str(&text[..text.floor_char_boundary(room)]);
            if text.len() > room {
                self.stop = Some(Stop::Full);
                return;
            }
        }
    }
}

/// The message of an error, as OpenAI, Ollama and their kin write it.
pub(crate) fn error_text(value: &Value) -> Option<String> {
    let error = &value["error"];
    let texts = [error, &error["message"], &error["detail"]];
    match texts.into_iter().find_map(Value::as_str) {
        Some(text) => Some(text.to_owned()),
        None if error.is_object() => Some(error.to_string()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Result<Answer, Mistake> {
        let mut reader = AnswerReader::new(100);
        for end in (0..body.len()).step_by(5) {
            if !reader.read(&body.as_bytes()[..end]) {
                return reader.end(&body.as_bytes()[..end]);
            }
        }
        reader.end(body.as_bytes())
    }

    #[test]
    fn answers_of_both_apis_are_read() {
        let openai = "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n\
            data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n\
            data: {\"choices\":[{\"delta\":{\"content\":\"a \"}}]}\n\n\
            data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\n\
            data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
        let ollama = "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"a \",\"thinking\":\"hm\"},\"done\":false}\n\
            {\"model\":\"m\",\"message\":{\"content\":\"b\"},\"done\":false}\n\
            {\"model\":\"m\",\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":3,\"eval_count\":2}\n";
        let whole = "{\n\"model\":\"m\",\n\"choices\":[{\"message\":{\"content\":\"a b\"},\"finish_reason\":\"stop\"}],\
            \n\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}";
        let parts = "{\"model\":\"m\",\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a \"},\
            {\"text\":\"b\"}]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}";
        for body in [openai, ollama, whole, parts] {
            let wanted = Answer {
                text: "a b".to_owned(),
                model: Some("m".to_owned()),
                finish: Some("stop".to_owned()),
                is_cut: false,
                usage: Usage { prompt: Some(3), answer: Some(2) },
            };
            assert_eq!(answer(body), Ok(wanted), "{body}");
        }
    }

    #[test]
    fn what_breaks_off_or_is_too_long_is_cut() {
        let broken = answer("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n").unwrap();
        assert!(broken.is_cut && broken.finish.is_none() && broken.text == "a");
        let length =
            answer("{\"response\":\"a\",\"done\":true,\"done_reason\":\"length\"}").unwrap();
        assert!(length.is_cut);
        let piece = "\u{e9}".repeat(1_000);
        let long = format!("{{\"response\":\"{piece}\",\"done\":false}}\n").repeat(30);
        let mut reader = AnswerReader::new(1_000);
        assert!(!reader.read(long.as_bytes()), "it is not read on");
        let long = reader.end(long.as_bytes()).unwrap();
        assert!(long.is_cut && long.text.len() == MAX_ANSWER_BYTES);
        let endless = "{\"message\":{\"thinking\":\"x\"},\"done\":false}\n".repeat(1_000);
        let mut reader = AnswerReader::new(100);
        assert!(!reader.read(endless.as_bytes()), "more tokens than were wanted");
        assert!(reader.end(endless.as_bytes()).is_err(), "it has no text");
    }

    #[test]
    fn errors_are_not_taken_for_garbage() {
        let failed = |body: &str, wanted: &str| {
            assert_eq!(answer(body), Err(Mistake::Failed(wanted.to_owned())), "{body}");
        };
        failed("{\"error\":\"model not found\"}", "model not found");
        failed("data: {\"error\":{\"message\":\"overloaded\",\"code\":1}}\n\n", "overloaded");
        failed("{\"error\":{\"code\":1}}", "{\"code\":1}");
        for garbage in [
            "",
            "<html></html>",
            "{}",
            "[]",
            "{\"choices\":[]}",
            "null",
            "{\"choices\":[{\"delta\":3}]}",
        ] {
            let found = answer(garbage);
            assert!(matches!(found, Err(Mistake::Garbage(_))), "{garbage}: {found:?}");
        }
    }
}
