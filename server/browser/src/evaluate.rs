//! `browser_evaluate`: runs a script in the page.

use cdp::{CdpError, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use web::{PAGE_CONTENT, push, push_page, push_rest};

use crate::call::{Call, timeout};
use crate::limits::{ACTION_TIMEOUT, MAX_SCRIPT_BYTES, MAX_VALUE_BYTES};
use crate::page::{World, clip, exception_text};
use crate::report::{PageReport, push_report};

pub(crate) struct BrowserEvaluate;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// An expression, statements, or a function, which is called; a promise is awaited.
    expression: String,
    /// An element that the function gets: a reference of `browser_snapshot` (`e12`), CSS, or `text=Save`.
    #[serde(default)]
    selector: Option<String>,
    /// Time in milliseconds, at most 300,000; 10,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What it returned, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    /// The description of a value that is not JSON: a function, an element.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// What it threw.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Says that all of these are text of the page.
    content_is: &'static str,
    /// Whether the value is cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(flatten)]
    page: PageReport,
}

impl Tool for BrowserEvaluate {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_evaluate";
    const DESCRIPTION: &'static str = "Run JavaScript in the open page and return its value; what it throws is a result. \
        Needs approval of the page's host. Use the other tools to read and operate the page.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("script", "expression"),
        ("function", "expression"),
        ("code", "expression"),
        ("ref", "selector"),
        ("timeout", "timeout_ms"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        push_report(&mut text, result);
        if let Some(error) = result["error"].as_str() {
            push(&mut text, "it threw:");
            push_page(&mut text, error);
        } else if let Some(description) = result["description"].as_str() {
            push_page(&mut text, description);
        } else if let Some(value) = result.get("value") {
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            push_page(&mut text, &shown);
        } else {
            push(&mut text, "undefined");
        }
        push_rest(&mut text, result);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        if params.expression.trim().is_empty() {
            let message = format!("{}: `expression` is empty", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        if params.expression.len() > MAX_SCRIPT_BYTES {
            let message =
                format!("{}: `expression` is longer than {MAX_SCRIPT_BYTES} bytes", Self::NAME);
            return Err(ToolError::new(Code::TooLarge, message));
        }
        Ok(crate::effects::of_script(context, Self::NAME, &params.expression))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        call.refuse_if_dialog()?;
        let before = call.before();
        let navigations = call.navigations();
        let result = match &params.selector {
            Some(selector) => on_element(&call, &params.expression, selector),
            None => on_page(&call, &params.expression),
        };
        let result = match result {
            Ok(result) => result,
            // It opened a dialog, and has not ended.
            Err(Failed::Cdp(CdpError::Stopped { stop: Stop::Cancelled, .. }))
                if call.open_dialog().is_some() =>
            {
                let page = call.report(&before);
                return Ok(Output { content_is: PAGE_CONTENT, page, ..Output::default() });
            }
            Err(Failed::Cdp(error @ CdpError::Stopped { stop: Stop::Timeout, .. })) => {
                call.browser.connection.notify(
                    Some(&call.session),
                    "Runtime.terminateExecution",
                    json!({}),
                );
                return Err(call
                    .failed(&error)
                    .hint("it was stopped; `timeout_ms` allows more time"));
            }
            Err(Failed::Cdp(error)) => return Err(call.failed(&error)),
            Err(Failed::Tool(error)) => return Err(error),
        };
        let is_settled = call.settle(navigations)?;
        let mut output = output(&result);
        output.page = call.report(&before);
        output.page.loading = !is_settled;
        Ok(output)
    }
}

enum Failed {
    Cdp(CdpError),
    Tool(ToolError),
}

impl From<CdpError> for Failed {
    fn from(error: CdpError) -> Self {
        Self::Cdp(error)
    }
}

fn on_page(call: &Call<'_>, expression: &str) -> Result<Value, Failed> {
    let result = call.send(
        "Runtime.evaluate",
        json!({ "expression": expression, "awaitPromise": true, "replMode": true, "userGesture": true }),
    )?;
    let remote = &result["result"];
    if result.get("exceptionDetails").is_some() || remote["objectId"].is_null() {
        return Ok(result);
    }
    // The value of an object, or what a function returns. The script itself must not run twice.
    let function = if remote["type"] == "function" {
        "function () { return this(); }"
    } else {
        "function () { return this; }"
    };
    let params = json!({
        "functionDeclaration": function,
        "objectId": remote["objectId"],
        "awaitPromise": true,
        "returnByValue": true,
        "userGesture": true,
    });
    match call.send("Runtime.callFunctionOn", params) {
        // A value that is not JSON, such as `window`.
        Err(CdpError::Refused { .. }) => Ok(result),
        other => Ok(other?),
    }
}

/// Calls a function with an element, in the world of the page.
fn on_element(call: &Call<'_>, expression: &str, selector: &str) -> Result<Value, Failed> {
    let element = call.find(selector).map_err(Failed::Tool)?;
    let object = call.object(&element.frame, element.reference).map_err(Failed::Tool)?;
    let node = call.send("DOM.describeNode", json!({ "objectId": object }))?;
    let world = call
        .browser
        .pages
        .with(|pages| pages.page(&call.session)?.frames.context(&element.frame, World::Page));
    let mut params = json!({ "backendNodeId": node["node"]["backendNodeId"] });
    if let Some(world) = world {
        params["executionContextId"] = world.into();
    }
    let resolved = call.send("DOM.resolveNode", params)?;
    let object = &resolved["object"]["objectId"];
    let function = format!(
        "function (element) {{ const given = ({}\n); return typeof given === 'function' ? given(element) : given; }}",
        expression.trim().trim_end_matches(';')
    );
    Ok(call.send(
        "Runtime.callFunctionOn",
        json!({
            "functionDeclaration": function,
            "objectId": object,
            "arguments": [{ "objectId": object }],
            "awaitPromise": true,
            "returnByValue": true,
            "userGesture": true,
        }),
    )?)
}

fn output(result: &Value) -> Output {
    let mut output = Output { content_is: PAGE_CONTENT, ..Output::default() };
    if result.get("exceptionDetails").is_some() {
        output.error = Some(clip(exception_text(&result["exceptionDetails"]), MAX_VALUE_BYTES));
        return output;
    }
    let remote = &result["result"];
    if let Some(text) = remote["unserializableValue"].as_str() {
        output.description = Some(text.to_owned());
    } else if let Some(value) = remote.get("value") {
        let text = value.to_string();
        if text.len() > MAX_VALUE_BYTES {
            output.truncated = true;
            output.value = Some(clip(text, MAX_VALUE_BYTES).into());
        } else {
            output.value = Some(value.clone());
        }
    } else {
        output.description =
            remote["description"].as_str().map(|text| clip(text.to_owned(), MAX_VALUE_BYTES));
    }
    output
}
