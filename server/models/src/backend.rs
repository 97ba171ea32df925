//! The servers of models that the person's settings name, and requests to them.

use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, ModelApi, ModelBackend, ToolError};
use web::{ApiReply, ApiRequest, Target, call_api};

use crate::answer::error_text;
use crate::limits::{
    MAX_MODEL_NAME_BYTES, MAX_QUOTED_CHARS, MAX_REPLY_BYTES, MAX_SHOWN_PROMPT_BYTES, RETRIES,
};
use crate::redaction;

/// The backend that is looked for where the settings name none.
const LOCAL_OLLAMA: (&str, &str) = ("ollama", "http://localhost:11434");

/// How to configure a backend, for hints.
pub(crate) const CONFIGURE: &str = "in your config.toml: `[models.backends.NAME]` with `kind = \"ollama\"` or \
    `\"openai\"`, `url`, `model`, and `key_env` if it needs a key";

/// A server of models.
pub(crate) struct Backend {
    pub(crate) name: String,
    pub(crate) api: ModelApi,
    pub(crate) model: Option<String>,
    pub(crate) embedding_model: Option<String>,
    pub(crate) completion_model: Option<String>,
    base: Target,
    key_env: Option<String>,
}

/// The backends of the settings.
pub(crate) struct Backends {
    /// In the order of their names; never empty.
    pub(crate) list: Vec<Backend>,
    /// The name of the one that is used unless a call names another.
    pub(crate) default: String,
}

impl Backends {
    /// The backends of the person's settings; a local Ollama if they name none.
    pub(crate) fn new(context: &Context<'_>, tool: &str) -> Result<Self, ToolError> {
        let settings = context.session.policy.model_settings();
        let parsed = settings.backends.iter();
        let mut list =
            parsed.map(|(name, of)| Backend::new(tool, name, of)).collect::<Result<Vec<_>, _>>()?;
        if list.is_empty() {
            let (name, url) = LOCAL_OLLAMA;
            let url = url.to_owned();
            let kind = ModelApi::Ollama;
            let local = ModelBackend {
                kind,
                url,
                model: None,
                embedding_model: None,
                completion_model: None,
                key_env: None,
            };
            list.push(Backend::new(tool, name, &local)?);
        }
        let first = || list.first().map(|backend| backend.name.clone()).unwrap_or_default();
        let default = settings.default.unwrap_or_else(first);
        Ok(Self { list, default })
    }

    /// The backend of this name, or the default one.
    pub(crate) fn choose(&self, tool: &str, name: Option<&str>) -> Result<&Backend, ToolError> {
        let wanted = name.unwrap_or(&self.default);
        self.list.iter().find(|backend| backend.name == wanted).ok_or_else(|| {
            let names: Vec<_> = self.list.iter().map(|backend| backend.name.as_str()).collect();
            let message = format!(
                "{tool}: there is no backend `{wanted:.60}`; there are: {:.300}",
                names.join(", ")
            );
            ToolError::new(Code::InvalidParams, message).hint(CONFIGURE)
        })
    }

    /// The backend of a call that names one or none.
    pub(crate) fn chosen(
        context: &Context<'_>,
        tool: &str,
        name: Option<&str>,
    ) -> Result<Backend, ToolError> {
        let all = Self::new(context, tool)?;
        let name = all.choose(tool, name)?.name.clone();
        let found = all.list.into_iter().find(|backend| backend.name == name);
        found.ok_or_else(|| ToolError::new(Code::Internal, format!("{tool}: no backend")))
    }
}

impl Backend {
    fn new(tool: &str, name: &str, settings: &ModelBackend) -> Result<Self, ToolError> {
        let base = parse_url(tool, &format!("models.backends.{name}.url"), &settings.url)?;
        Ok(Self {
            name: name.to_owned(),
            api: settings.kind,
            model: settings.model.clone(),
            embedding_model: settings.embedding_model.clone(),
            completion_model: settings.completion_model.clone(),
            base,
            key_env: settings.key_env.clone(),
        })
    }

    /// Its address, as far as results show it.
    pub(crate) fn shown_url(&self) -> String {
        self.base.url.as_str().trim_end_matches('/').to_owned()
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self.api {
            ModelApi::OpenAi => "openai",
            ModelApi::Ollama => "ollama",
        }
    }

    /// The effect of requests to it. `what` is what they send.
    pub(crate) fn effect(&self, what: &str) -> Effect {
        let mut detail = format!("{} ({})\n{what}", self.name, self.shown_url());
        if detail.len() > MAX_SHOWN_PROMPT_BYTES {
            let left_out = detail.len() - detail.floor_char_boundary(MAX_SHOWN_PROMPT_BYTES);
            detail.truncate(detail.len() - left_out);
            // The start of this line makes policy offer single approvals only.
            detail.push_str(&format!("\n[left out: {left_out} bytes]"));
        }
        self.base.endpoint.effect().with_detail(detail)
    }

    /// The target of a request: `/chat/completions` or `/api/chat`.
    fn target(&self, path: &str) -> Target {
        let mut target = self.base.clone();
        let base = target.url.path().trim_end_matches('/').to_owned();
        let base = match self.api {
            // A base with a path names the version itself.
            ModelApi::OpenAi if base.is_empty() => "/v1".to_owned(),
            _ => base,
        };
        target.url.set_path(&format!("{base}{path}"));
        target.url.set_query(None);
        target
    }
}

/// The URL of a setting.
pub(crate) fn parse_url(tool: &str, setting: &str, url: &str) -> Result<Target, ToolError> {
    Target::parse(tool, url).map_err(|error| {
        let message = error.message.strip_prefix(&format!("{tool}: ")).unwrap_or(&error.message);
        ToolError::new(Code::Unavailable, format!("{tool}: the setting `{setting}`: {message}"))
            .hint("correct it in your config.toml")
    })
}

/// The key in an environment variable that a setting names.
pub(crate) fn key_of(
    tool: &str,
    owner: &str,
    variable: Option<&str>,
) -> Result<Option<String>, ToolError> {
    let Some(variable) = variable else { return Ok(None) };
    let key = std::env::var(variable).unwrap_or_default().trim().to_owned();
    if key.is_empty() {
        let message = format!("{tool}: the key of {owner} is missing: {variable} is not set");
        return Err(ToolError::new(Code::Unavailable, message)
            .hint("set that variable in the environment that starts the editor or the server"));
    }
    Ok(Some(key))
}

/// The headers that pass a key on.
pub(crate) fn key_headers(
    tool: &str,
    scheme: &str,
    key: Option<&str>,
) -> Result<HeaderMap, ToolError> {
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        let mut value = HeaderValue::from_str(&format!("{scheme} {key}")).map_err(|_| {
            let message = format!("{tool}: the key has characters that no header can hold");
            ToolError::new(Code::Unavailable, message)
        })?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

/// A backend during a call.
pub(crate) struct Connection<'c> {
    pub(crate) context: &'c Context<'c>,
    pub(crate) tool: &'static str,
    pub(crate) backend: &'c Backend,
    key: Option<String>,
}

/// A request.
pub(crate) struct Request {
    /// The path below the backend's address.
    pub(crate) path: &'static str,
    /// The body of a POST; a GET without one.
    pub(crate) body: Option<Value>,
    pub(crate) timeout: Duration,
    pub(crate) max_bytes: usize,
}

impl<'c> Connection<'c> {
    pub(crate) fn new(
        context: &'c Context<'c>,
        tool: &'static str,
        backend: &'c Backend,
    ) -> Result<Self, ToolError> {
        let owner = format!("the backend `{}`", backend.name);
        let key = key_of(tool, &owner, backend.key_env.as_deref())?;
        Ok(Self { context, tool, backend, key })
    }

    /// Time for one answer of a model.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.context.session.policy.model_settings().timeout_secs)
    }

    /// A text of the server without the key.
    pub(crate) fn redacted(&self, text: String) -> String {
        redaction::text(self.key.as_deref(), text)
    }

    /// Sends a request; `watch` gets the body as it arrives. An answer with another status than 2xx is an error.
    pub(crate) fn send(
        &self,
        request: &Request,
        watch: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<ApiReply, ToolError> {
        let mut headers = key_headers(self.tool, "Bearer", self.key.as_deref())?;
        let body = request.body.as_ref().map(Value::to_string);
        let method = if body.is_some() { Method::POST } else { Method::GET };
        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let request = ApiRequest {
            target: &self.backend.target(request.path),
            method,
            headers,
            body: body.unwrap_or_default().into_bytes(),
            timeout: request.timeout,
            retries: RETRIES,
            max_bytes: request.max_bytes,
        };
        let reply = call_api(self.context, self.tool, request, watch).map_err(with_own_hint)?;
        if (200..300).contains(&reply.status) {
            return Ok(reply);
        }
        Err(self.refused(&reply))
    }

    /// Sends a request that is answered by one piece of JSON.
    pub(crate) fn json(&self, request: &Request) -> Result<Value, ToolError> {
        let reply = self.send(request, &mut |_| true)?;
        if let Some((code, why)) = reply.cut {
            return Err(with_own_hint(self.error(code, &why)));
        }
        let mut value: Value = serde_json::from_slice(&reply.body).map_err(|error| {
            self.error(Code::Unsupported, &format!("its answer is no JSON: {error}"))
        })?;
        redaction::json(self.key.as_deref(), &mut value);
        match error_text(&value) {
            Some(why) => {
                Err(self.error(Code::Unavailable, &format!("it reports: {}", quoted(&why))))
            }
            None => Ok(value),
        }
    }

    /// An error of this backend. Texts of the server in `why` lose the key.
    pub(crate) fn error(&self, code: Code, why: &str) -> ToolError {
        let message = format!("{}: the backend `{}`: {why}", self.tool, self.backend.name);
        ToolError::new(code, self.redacted(message))
    }

    fn refused(&self, reply: &ApiReply) -> ToolError {
        let status = reply.status;
        if let (300..400, Some(location)) = (status, reply.location()) {
            let why = format!("it redirects to {}, which is not followed", quoted(location));
            return self
                .error(Code::Unavailable, &why)
                .hint("if that is right, set it as the backend's `url` in your config.toml");
        }
        let said = serde_json::from_slice(&reply.body).ok();
        let said = said.as_ref().and_then(|value: &Value| {
            error_text(value).or_else(|| {
                [&value["message"], &value["detail"]]
                    .into_iter()
                    .find_map(Value::as_str)
                    .map(str::to_owned)
            })
        });
        let said = said.unwrap_or_else(|| String::from_utf8_lossy(&reply.body).into_owned());
        let why = match quoted(&said).as_str() {
            "" => format!("it answered with status {status}"),
            said => format!("it answered with status {status}: {said}"),
        };
        let key = self.backend.key_env.as_deref();
        let (code, hint) = match (status, key) {
            (401 | 403, Some(key)) => (Code::Permission, format!("check the key in {key}")),
            (401 | 403, None) => {
                let hint = "it needs a key: set `key_env` of the backend in your config.toml";
                (Code::Permission, hint.to_owned())
            }
            (404, _) => {
                let hint =
                    "`list_llm_models` lists its models; check the backend's `kind` and `url`";
                (Code::Unavailable, hint.to_owned())
            }
            (400 | 413 | 422, _) => {
                (Code::InvalidParams, "change the prompt or the model".to_owned())
            }
            (429, _) => (Code::Unavailable, "try again later, or use another backend".to_owned()),
            _ => (Code::Unavailable, "try again, or use another backend".to_owned()),
        };
        self.error(code, &why).hint(hint).details(json!({ "status": status }))
    }

    /// Requests JSON by GET, in the time of a list.
    pub(crate) fn get(&self, path: &'static str, seconds: u64) -> Result<Value, ToolError> {
        let timeout = Duration::from_secs(seconds);
        self.json(&Request { path, body: None, timeout, max_bytes: MAX_REPLY_BYTES })
    }
}

/// The start of a server's text on one line.
pub(crate) fn quoted(text: &str) -> String {
    let start = text.chars().take(4 * MAX_QUOTED_CHARS);
    let clean: String = start.map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}\u{2026}", &line[..end]),
        None => line,
    }
}

/// Replaces hints for `http_request`, whose parameters these tools do not have.
fn with_own_hint(error: ToolError) -> ToolError {
    match error.code {
        Code::Timeout => {
            error.hint("`timeout_secs` in the table `models` of config.toml allows more time")
        }
        Code::Unavailable => {
            error.hint("start the server of the model, or check its `url` in your config.toml")
        }
        _ => error,
    }
}

/// Checks the name of a model.
pub(crate) fn check_model(tool: &str, name: Option<&str>) -> Result<(), ToolError> {
    let is_name = |name: &str| {
        !name.trim().is_empty()
            && name.len() <= MAX_MODEL_NAME_BYTES
            && !name.chars().any(char::is_control)
    };
    match name {
        Some(name) if !is_name(name) => {
            let message =
                format!("{tool}: `model` is no name of 1 to {MAX_MODEL_NAME_BYTES} bytes");
            Err(ToolError::new(Code::InvalidParams, message))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backend(kind: ModelApi, url: &str) -> Backend {
        let settings = ModelBackend {
            kind,
            url: url.to_owned(),
            model: None,
            embedding_model: None,
            completion_model: None,
            key_env: None,
        };
        Backend::new("t", "b", &settings).unwrap()
    }

    #[test]
    fn paths_follow_the_address() {
        for (kind, url, path, wanted) in [
            (ModelApi::OpenAi, "https://a.example", "/models", "https://a.example/v1/models"),
            (ModelApi::OpenAi, "https://a.example/", "/models", "https://a.example/v1/models"),
            (
                ModelApi::OpenAi,
                "https://a.example/api/v1/",
                "/models",
                "https://a.example/api/v1/models",
            ),
            (
                ModelApi::OpenAi,
                "https://a.example/v1?x=1",
                "/models",
                "https://a.example/v1/models",
            ),
            (
                ModelApi::Ollama,
                "http://localhost:11434",
                "/api/tags",
                "http://localhost:11434/api/tags",
            ),
            (ModelApi::Ollama, "http://a.example/o/", "/api/tags", "http://a.example/o/api/tags"),
        ] {
            assert_eq!(backend(kind, url).target(path).url.as_str(), wanted);
        }
        let settings = ModelBackend {
            kind: ModelApi::Ollama,
            url: "ftp://x".to_owned(),
            model: None,
            embedding_model: None,
            completion_model: None,
            key_env: None,
        };
        let error = Backend::new("t", "b", &settings).err().unwrap();
        assert!(error.message.contains("`models.backends.b.url`"), "{error}");
    }

    #[test]
    fn long_prompts_are_shown_in_part() {
        let backend = backend(ModelApi::Ollama, "http://localhost:11434");
        let short = backend.effect("prompt: a").detail.unwrap();
        assert_eq!(short, "b (http://localhost:11434)\nprompt: a");
        let long = backend.effect(&"\u{e9}".repeat(5_000)).detail.unwrap();
        assert!(long.len() < 4_100 && long.contains("\n[left out: 60"), "{}", &long[3_900..]);
    }

    #[test]
    fn texts_of_servers_are_bounded() {
        assert_eq!(quoted(" a\n\tb \u{7} "), "a b");
        assert_eq!(quoted(&"x".repeat(1_000)).chars().count(), MAX_QUOTED_CHARS + 1);
    }

    #[test]
    fn names_of_models_are_checked() {
        for bad in ["", "  ", "a\nb", &"x".repeat(300)] {
            assert!(check_model("t", Some(bad)).is_err(), "{bad:?}");
        }
        assert!(check_model("t", Some("qwen3:8b")).is_ok() && check_model("t", None).is_ok());
    }
}
