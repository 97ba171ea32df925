//! What a selector means, and the element that it finds.

use cdp::CdpError;
use serde::Deserialize;
use serde_json::{Value, json};
use tools::{Code, ToolError};

use crate::call::Call;

/// Longest selector, in bytes.
const MAX_SELECTOR_BYTES: usize = 2_000;

/// What a selector describes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Selector {
    /// A reference of a snapshot: `e12`.
    Reference(u64),
    Css(String),
    /// `text=Save`.
    Text(String),
    /// `role=button[name="Save"]`.
    Role {
        role: String,
        name: Option<String>,
    },
}

/// An element that was found.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) frame: String,
    pub(crate) reference: u64,
    /// How many elements the selector matches.
    pub(crate) count: u64,
}

impl Selector {
    pub(crate) fn parse(tool: &str, written: &str) -> Result<Self, ToolError> {
        let invalid = |why: &str| {
            let message = format!("{tool}: the selector `{written:.200}` {why}");
            ToolError::new(Code::InvalidParams, message).hint(
                "give a reference of `browser_snapshot` (`e12`), CSS, `text=Save`, or `role=button[name=\"Save\"]`",
            )
        };
        let trimmed = written.trim();
        if trimmed.is_empty() {
            return Err(invalid("is empty"));
        }
        if trimmed.len() > MAX_SELECTOR_BYTES {
            return Err(invalid("is too long"));
        }
        let bare = trimmed.strip_prefix("ref=").unwrap_or(trimmed);
        let bare = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(bare);
        if let Some(number) = bare.strip_prefix('e').and_then(|digits| digits.parse().ok()) {
            return Ok(Self::Reference(number));
        }
        if let Some(text) = trimmed.strip_prefix("text=") {
            let text = unquoted(text.trim());
            return if text.is_empty() {
                Err(invalid("has no text"))
            } else {
                Ok(Self::Text(text.to_owned()))
            };
        }
        if let Some(rest) = trimmed.strip_prefix("role=") {
            let (role, name) = match rest.split_once('[') {
                None => (rest, None),
                Some((role, rest)) => {
                    let name = rest.strip_suffix(']').and_then(|rest| rest.strip_prefix("name="));
                    let name = name.ok_or_else(|| invalid("names no role with `[name=\"…\"]`"))?;
                    (role, Some(unquoted(name).to_owned()))
                }
            };
            let is_role =
                |role: &str| !role.is_empty() && role.bytes().all(|byte| byte.is_ascii_lowercase());
            let role = role.trim();
            return if is_role(role) {
                Ok(Self::Role { role: role.to_owned(), name })
            } else {
                Err(invalid("names no role"))
            };
        }
        Ok(Self::Css(trimmed.strip_prefix("css=").unwrap_or(trimmed).to_owned()))
    }

    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Reference(reference) => json!({ "ref": reference }),
            Self::Css(css) => json!({ "css": css }),
            Self::Text(text) => json!({ "text": text }),
            Self::Role { role, name } => json!({ "role": role, "name": name }),
        }
    }
}

fn unquoted(text: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(text)
}

#[derive(Deserialize)]
struct Found {
    count: u64,
    #[serde(rename = "ref", default)]
    reference: Option<u64>,
    #[serde(default)]
    candidates: Vec<String>,
}

impl Call<'_> {
    /// Waits for the element that a selector describes.
    pub(crate) fn find(&self, written: &str) -> Result<Element, ToolError> {
        let selector = Selector::parse(self.tool, written)?;
        let mut found = None;
        let mut failure = None;
        let mut has_answered = false;
        self.wait_until(|| match self.find_now(&selector, written) {
            Ok(element) => {
                has_answered = true;
                found = element;
                found.is_some() || matches!(selector, Selector::Reference(_))
            }
            // The time is over in the middle of one more attempt.
            Err(error) if has_answered && error.code == Code::Timeout => true,
            Err(error) => {
                failure = Some(error);
                true
            }
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
        found.ok_or_else(|| {
            if let Some(what) = self.open_dialog() {
                return ToolError::new(Code::Conflict, format!("{}: {what} is open", self.tool))
                    .hint("answer it with `browser_dialog` first");
            }
            if matches!(selector, Selector::Reference(_)) {
                return self.gone();
            }
            ToolError::new(
                Code::NoMatch,
                format!("{}: no element matches `{written:.200}`", self.tool),
            )
            .hint("`browser_snapshot` shows what is on the page")
        })
    }

    /// The element that a selector describes now.
    pub(crate) fn find_now(
        &self,
        selector: &Selector,
        written: &str,
    ) -> Result<Option<Element>, ToolError> {
        for frame in self.frames() {
            let argument = json!({ "target": selector.to_json() });
            let found: Found = match self.run(&frame, "find", &argument) {
                Ok(found) => found,
                Err(error) if error.is_stale() => continue,
                Err(error) => return Err(self.selector_failed(selector, &error)),
            };
            if !found.candidates.is_empty() {
                let message =
                    format!("{}: {} elements match `{written:.200}`", self.tool, found.count);
                return Err(ToolError::new(Code::Ambiguous, message)
                    .hint("give one of the references in `candidates`")
                    .details(json!({ "candidates": found.candidates })));
            }
            if let Some(reference) = found.reference {
                return Ok(Some(Element { frame, reference, count: found.count }));
            }
        }
        Ok(None)
    }

    /// The error of a function that got a selector.
    pub(crate) fn selector_failed(&self, selector: &Selector, error: &CdpError) -> ToolError {
        if let (Selector::Css(css), CdpError::Unexpected { why, .. }) = (selector, error)
            && why.contains("not a valid selector")
        {
            return ToolError::new(Code::InvalidParams, format!("{}: `{css:.200}` is no CSS selector", self.tool))
                .hint("give a reference of `browser_snapshot` (`e12`), CSS, `text=Save`, or `role=button[name=\"Save\"]`");
        }
        self.failed(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_references_css_texts_or_roles() {
        let parse = |written: &str| Selector::parse("t", written).map_err(|error| error.code);
        for written in ["e12", "[e12]", "ref=e12", " e12 "] {
            assert_eq!(parse(written), Ok(Selector::Reference(12)), "{written}");
        }
        for (written, css) in
            [("e12 b", "e12 b"), ("em", "em"), ("[name=x]", "[name=x]"), ("css=e1", "e1")]
        {
            assert_eq!(parse(written), Ok(Selector::Css(css.to_owned())), "{written}");
        }
        assert_eq!(parse("text='Save all'"), Ok(Selector::Text("Save all".to_owned())));
        let role = |name: Option<&str>| Selector::Role {
            role: "button".to_owned(),
            name: name.map(str::to_owned),
        };
        assert_eq!(parse("role=button"), Ok(role(None)));
        assert_eq!(parse("role=button[name=\"a [b]\"]"), Ok(role(Some("a [b]"))));
        for written in
            ["", "  ", "text=", "role=", "role=x[level=1]", "role=But ton", &"a".repeat(3_000)]
        {
            assert_eq!(parse(written), Err(Code::InvalidParams), "{written:.20}");
        }
    }
}
