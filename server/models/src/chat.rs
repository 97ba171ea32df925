//! One prompt, one answer.

use std::time::Instant;

use jiff::Timestamp;
use serde_json::{Value, json};
use tools::{Code, ModelApi, ToolError};

use crate::answer::{AnswerReader, Mistake};
use crate::backend::{Connection, Request, check_model, quoted};
use crate::limits::{DEFAULT_MAX_TOKENS, MAX_PROMPT_BYTES, MAX_STREAM_BYTES, MAX_TOKENS};
use crate::run_log::{self, Run};
use crate::session::{ModelSession, estimated_tokens};
use crate::{category, model_list};

/// What a model is asked.
#[derive(Clone)]
pub(crate) struct Chat<'p> {
    pub(crate) prompt: &'p str,
    /// The text after the place that the model fills; then `prompt` is the text before it.
    pub(crate) suffix: Option<&'p str>,
    pub(crate) model: Option<&'p str>,
    pub(crate) temperature: Option<f64>,
    pub(crate) max_tokens: Option<u64>,
}

/// What it answered.
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) model: String,
    pub(crate) finish: Option<String>,
    pub(crate) is_cut: bool,
    pub(crate) prompt_tokens: u64,
    pub(crate) answer_tokens: u64,
    pub(crate) milliseconds: u64,
}

impl Chat<'_> {
    fn bytes(&self) -> usize {
        self.prompt.len() + self.suffix.map_or(0, str::len)
    }

    /// Checks all parameters.
    pub(crate) fn check(&self, tool: &str) -> Result<(), ToolError> {
        let invalid =
            |why: String| Err(ToolError::new(Code::InvalidParams, format!("{tool}: {why}")));
        if self.prompt.trim().is_empty() && self.suffix.is_none() {
            return invalid("`prompt` is empty".to_owned());
        }
        if self.bytes() > MAX_PROMPT_BYTES {
            let length = self.bytes();
            return invalid(format!(
                "`prompt` has {length} bytes; {MAX_PROMPT_BYTES} are the limit"
            ));
        }
        if self.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            return invalid("`temperature` is 0 to 2".to_owned());
        }
        if self.max_tokens.is_some_and(|tokens| !(1..=MAX_TOKENS).contains(&tokens)) {
            return invalid(format!("`max_tokens` is 1 to {MAX_TOKENS}"));
        }
        check_model(tool, self.model)
    }
}

impl Connection<'_> {
    /// Lets a model answer, and records the run.
    pub(crate) fn chat(&self, chat: &Chat<'_>) -> Result<Reply, ToolError> {
        let started = Instant::now();
        let model = self.chat_model(chat.model)?;
        let reply = self.answer(chat, &model, started);
        let answered = reply.as_ref().ok();
        let run = Run {
            timestamp: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            tool: self.tool.to_owned(),
            backend: self.backend.name.clone(),
            model,
            error: reply.as_ref().err().map(|error| error.code.as_str().to_owned()),
            prompt_tokens: answered.map_or(0, |reply| reply.prompt_tokens),
            answer_tokens: answered.map_or(0, |reply| reply.answer_tokens),
            milliseconds: answered.map_or(0, |reply| reply.milliseconds),
        };
        run_log::record(self.context, self.tool, &run);
        reply
    }

    /// The model of a call: its own, that of the settings, or the only one that there is.
    fn chat_model(&self, given: Option<&str>) -> Result<String, ToolError> {
        if let Some(model) = given.or(self.backend.model.as_deref()) {
            return Ok(model.to_owned());
        }
        let mut models = model_list::models(self)?;
        models.retain(|model| category::writes_text(model.category));
        let hint = format!(
            "pass `model`, or set `model` of the backend `{}` in your config.toml",
            self.backend.name
        );
        match models.as_slice() {
            [only] => Ok(only.name.clone()),
            [] => Err(self.error(Code::Unavailable, "it has no model that writes text").hint(hint)),
            several => {
                let names: Vec<_> =
                    several.iter().take(10).map(|model| model.name.as_str()).collect();
                let why = format!("it has several models, such as {:.400}", names.join(", "));
                Err(self.error(Code::Ambiguous, &why).hint(hint))
            }
        }
    }

    fn answer(&self, chat: &Chat<'_>, model: &str, started: Instant) -> Result<Reply, ToolError> {
        let wanted = chat.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
        let mut allowance = ModelSession::reserve(self.context, self.tool, chat.bytes(), wanted)?;
        let tokens = allowance.answer;
        let (path, mut body) = (self.path(chat), self.body(chat, model, tokens));
        let streamed = self.stream(path, body.clone(), tokens);
        let streamed = match streamed {
            // Models that reason take the limit under another name.
            Err(error)
                if error.code == Code::InvalidParams
                    && self.backend.api == ModelApi::OpenAi
                    && error.message.contains("max_completion_tokens") =>
            {
                if let Some(fields) = body.as_object_mut() {
                    fields.remove("max_tokens");
                    fields.insert("max_completion_tokens".to_owned(), tokens.into());
                }
                self.stream(path, body, tokens)
            }
            streamed => streamed,
        };
        let (reader, body, cut) = match streamed {
            Ok(streamed) => streamed,
            Err(error) => {
                // A server that refused has spent nothing. One that did not finish may have.
                if error.code == Code::Timeout {
                    allowance.spend(estimated_tokens(chat.bytes()) + tokens);
                }
                return Err(error);
            }
        };
        let (so_far, events) = (reader.len(), reader.events());
        let answer = reader.end(&body);
        let usage = answer.as_ref().map(|answer| answer.usage).unwrap_or_default();
        // Some servers report 0 because they do not count.
        let is_counted = |tokens: &u64| *tokens > 0;
        let prompt_tokens =
            usage.prompt.filter(is_counted).unwrap_or_else(|| estimated_tokens(chat.bytes()));
        let answer_tokens = usage
            .answer
            .filter(is_counted)
            .unwrap_or_else(|| estimated_tokens(so_far).max(events.min(tokens)));
        allowance.spend(prompt_tokens.saturating_add(answer_tokens));
        if let Some((code, why)) = cut {
            let why = format!("its answer is not whole, after {so_far} bytes of text: {why}");
            let error = self.error(code, &why);
            return Err(match code {
                Code::Timeout => error.hint(
                    "ask for less, or set `timeout_secs` in the table `models` of config.toml",
                ),
                _ => error.hint("try again"),
            });
        }
        let answer = answer.map_err(|mistake| match mistake {
            Mistake::Failed(why) => {
                self.error(Code::Unavailable, &format!("it reports: {}", quoted(&why)))
            }
            Mistake::Garbage(why) => self
                .error(Code::Unsupported, &format!("its answer makes no sense: {}", quoted(&why)))
                .hint("check the backend's `kind` and `url` in your config.toml"),
        })?;
        Ok(Reply {
            text: self.redacted(answer.text),
            model: self.redacted(answer.model.unwrap_or_else(|| model.to_owned())),
            finish: answer.finish.map(|finish| self.redacted(finish)),
            is_cut: answer.is_cut,
            prompt_tokens,
            answer_tokens,
            milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// The body of a request for an answer.
    fn body(&self, chat: &Chat<'_>, model: &str, tokens: u64) -> Value {
        let mut body = json!({ "model": model, "stream": true });
        match chat.suffix {
            Some(suffix) => {
                body["prompt"] = chat.prompt.into();
                body["suffix"] = suffix.into();
            }
            None => body["messages"] = json!([{ "role": "user", "content": chat.prompt }]),
        }
        match self.backend.api {
            ModelApi::OpenAi => {
                body["stream_options"] = json!({ "include_usage": true });
                body["max_tokens"] = tokens.into();
                if let Some(temperature) = chat.temperature {
                    body["temperature"] = temperature.into();
                }
            }
            ModelApi::Ollama => {
                body["options"] = json!({ "num_predict": tokens });
                if let Some(temperature) = chat.temperature {
                    body["options"]["temperature"] = temperature.into();
                }
            }
        }
        body
    }

    /// Where such a request goes.
    fn path(&self, chat: &Chat<'_>) -> &'static str {
        match (self.backend.api, chat.suffix) {
            (ModelApi::OpenAi, None) => "/chat/completions",
            (ModelApi::OpenAi, Some(_)) => "/completions",
            (ModelApi::Ollama, None) => "/api/chat",
            (ModelApi::Ollama, Some(_)) => "/api/generate",
        }
    }

    /// Sends a request, and reads the answer as it arrives.
    #[allow(clippy::type_complexity, reason = "the parts are taken apart at once")]
    fn stream(
        &self,
        path: &'static str,
        body: Value,
        tokens: u64,
    ) -> Result<(AnswerReader, Vec<u8>, Option<(Code, String)>), ToolError> {
        let mut reader = AnswerReader::new(tokens);
        let request = Request {
            path,
            body: Some(body),
            timeout: self.timeout(),
            max_bytes: MAX_STREAM_BYTES,
        };
        let mut is_wanted = true;
        let reply = self.send(&request, &mut |body| {
            is_wanted = reader.read(body);
            let length = reader.len();
            self.context.editor.progress(&format!("{}: {length} bytes", self.backend.name));
            is_wanted
        })?;
        // What was cut after the end of the answer does not matter.
        let cut = reply.cut.filter(|_| is_wanted);
        Ok((reader, reply.body, cut))
    }
}
