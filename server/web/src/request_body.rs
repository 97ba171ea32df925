//! The body of a request: text, JSON, a form, parts, or a file.

use std::collections::BTreeMap;

use http::HeaderValue;
use hyper::body::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tools::{Code, Context, Effect, ToolError};
use workspace::FilePath;

use crate::limits::MAX_REQUEST_BODY_BYTES;

/// A part of a multipart form: a value, or a file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// Name of the field.
    name: String,
    /// Its value.
    #[serde(default)]
    value: Option<String>,
    /// Or a file of the workspace.
    #[serde(default)]
    path: Option<String>,
    /// The file's name for the server; its own by default.
    #[serde(default)]
    filename: Option<String>,
    /// Its content type.
    #[serde(default)]
    content_type: Option<String>,
}

/// The ways in which a caller may give a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'p> {
    pub(crate) tool: &'static str,
    pub(crate) body: Option<&'p str>,
    pub(crate) json: Option<&'p Value>,
    pub(crate) form: &'p BTreeMap<String, String>,
    pub(crate) multipart: &'p [Part],
    pub(crate) path: Option<&'p str>,
}

/// A body, with the content type that goes with it.
pub(crate) struct Body {
    pub(crate) bytes: Bytes,
    pub(crate) content_type: Option<HeaderValue>,
}

impl Given<'_> {
    fn invalid(&self, why: impl std::fmt::Display) -> ToolError {
        ToolError::new(Code::InvalidParams, format!("{}: {why}", self.tool))
    }

    /// Checks the parameters against each other.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        let given = [
            ("body", self.body.is_some()),
            ("json", self.json.is_some()),
            ("form", !self.form.is_empty()),
            ("multipart", !self.multipart.is_empty()),
            ("body_path", self.path.is_some()),
        ];
        let given: Vec<_> =
            given.iter().filter(|(_, is_given)| *is_given).map(|(n, _)| *n).collect();
        if given.len() > 1 {
            return Err(self.invalid(format!("`{}` exclude each other", given.join("` and `"))));
        }
        for part in self.multipart {
            if part.value.is_some() == part.path.is_some() {
                return Err(self.invalid(format!(
                    "multipart: part `{:.60}` needs either `value` or `path`",
                    part.name
                )));
            }
            let texts = [Some(&part.name), part.filename.as_ref(), part.content_type.as_ref()];
            if texts.into_iter().flatten().any(|text| text.chars().any(char::is_control)) {
                return Err(self.invalid("multipart: a name or type holds a control character"));
            }
        }
        Ok(())
    }

    /// The effects of reading the files.
    pub(crate) fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        let paths = self.multipart.iter().filter_map(|part| part.path.as_deref());
        paths
            .chain(self.path)
            .map(|path| Ok(Effect::read(&context.snapshot.locate_to_read(path)?)))
            .collect()
    }

    /// What a person sees of the body.
    pub(crate) fn shown(&self) -> String {
        if let Some(path) = self.path {
            return format!("the file {path}");
        }
        let part = |part: &Part| match (&part.value, &part.path) {
            (Some(value), _) => format!("{}: {value}", part.name),
            (None, path) => format!("{}: the file {}", part.name, path.as_deref().unwrap_or("?")),
        };
        let parts: Vec<_> = self.multipart.iter().map(part).collect();
        if !parts.is_empty() {
            return parts.join("\n");
        }
        String::from_utf8_lossy(&self.inline().map(|body| body.bytes).unwrap_or_default())
            .into_owned()
    }

    /// The body, with its files read.
    pub(crate) fn read(&self, context: &Context<'_>) -> Result<Body, ToolError> {
        let body = if let Some(path) = self.path {
            let bytes = read_file(context, path)?.1;
            Some(Body { bytes: bytes.into(), content_type: typed("application/octet-stream") })
        } else if !self.multipart.is_empty() {
            Some(self.multipart(context)?)
        } else {
            self.inline()
        };
        let body = body.unwrap_or(Body { bytes: Bytes::new(), content_type: None });
        if body.bytes.len() > MAX_REQUEST_BODY_BYTES {
            let message = format!(
                "{}: the body has {} bytes; {MAX_REQUEST_BODY_BYTES} are the most",
                self.tool,
                body.bytes.len()
            );
            return Err(ToolError::new(Code::TooLarge, message).hint("send it in parts"));
        }
        Ok(body)
    }

    /// The body that the parameters themselves hold.
    fn inline(&self) -> Option<Body> {
        if let Some(body) = self.body {
            return Some(Body { bytes: body.to_owned().into(), content_type: None });
        }
        if let Some(json) = self.json {
            let content_type = typed("application/json");
            return Some(Body { bytes: json.to_string().into(), content_type });
        }
        if self.form.is_empty() {
            return None;
        }
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(self.form);
        let content_type = typed("application/x-www-form-urlencoded");
        Some(Body { bytes: form.finish().into(), content_type })
    }

    /// The parts by RFC 7578.
    fn multipart(&self, context: &Context<'_>) -> Result<Body, ToolError> {
        let mut parts = Vec::new();
        let mut size = 0;
        for part in self.multipart {
            let mut head =
                format!("Content-Disposition: form-data; name=\"{}\"", quoted(&part.name));
            let bytes = match (&part.value, &part.path) {
                (_, Some(path)) => {
                    let (path, bytes) = read_file(context, path)?;
                    let own_name = path.file_name().to_string_lossy().into_owned();
                    let name = part.filename.as_ref().unwrap_or(&own_name);
                    head.push_str(&format!("; filename=\"{}\"", quoted(name)));
                    let kind = part.content_type.as_deref().unwrap_or("application/octet-stream");
                    head.push_str(&format!("\r\nContent-Type: {kind}"));
                    bytes
                }
                (value, None) => {
                    if let Some(name) = &part.filename {
                        head.push_str(&format!("; filename=\"{}\"", quoted(name)));
                    }
                    if let Some(kind) = &part.content_type {
                        head.push_str(&format!("\r\nContent-Type: {kind}"));
                    }
                    value.clone().unwrap_or_default().into_bytes()
                }
            };
            size += bytes.len();
            if size > MAX_REQUEST_BODY_BYTES {
                let message =
                    format!("{}: the parts exceed {MAX_REQUEST_BODY_BYTES} bytes", self.tool);
                return Err(ToolError::new(Code::TooLarge, message).hint("send them one by one"));
            }
            parts.push((head, bytes));
        }
        let boundary = boundary(&parts);
        let mut body = Vec::with_capacity(size + 200 * parts.len());
        for (head, bytes) in parts {
            body.extend_from_slice(format!("--{boundary}\r\n{head}\r\n\r\n").as_bytes());
            body.extend_from_slice(&bytes);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        let content_type = typed(&format!("multipart/form-data; boundary={boundary}"));
        Ok(Body { bytes: body.into(), content_type })
    }
}

/// A boundary that no part holds.
fn boundary(parts: &[(String, Vec<u8>)]) -> String {
    let holds = |needle: &str| {
        let needle = needle.as_bytes();
        parts.iter().any(|(_, bytes)| bytes.windows(needle.len()).any(|window| window == needle))
    };
    (0u32..).map(|n| format!("tandem-part-{n}")).find(|one| !holds(one)).unwrap_or_default()
}

/// A name in a quoted string, as browsers escape it.
fn quoted(name: &str) -> String {
    name.replace('"', "%22")
}

fn typed(kind: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(kind).ok()
}

/// The content of a file, unsaved text included.
fn read_file(context: &Context<'_>, written: &str) -> Result<(FilePath, Vec<u8>), ToolError> {
    let snapshot = &context.snapshot;
    let path = snapshot.locate_to_read(written)?;
    if snapshot.open_document(&path).is_some() {
        let file = snapshot.read(&path)?;
        let bytes = file.encode(&file.text.to_string());
        return Ok((path, bytes));
    }
    let bytes = snapshot.read_bytes(&path)?.bytes;
    Ok((path, bytes))
}
