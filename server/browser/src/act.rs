//! `browser_act`: what people do with a page beside clicking and filling in.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::call::{Call, timeout};
use crate::limits::{ACTION_TIMEOUT, MAX_SCRIPT_BYTES};
use crate::mouse::Needs;
use crate::report::{PageReport, text_of};

pub(crate) struct BrowserAct;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    action: Action,
    /// The element: a reference of `browser_snapshot` (`e12`), CSS, `text=Save`, or `role=button[name="Save"]`.
    /// Without it, `press` and `type` go to the focused element, `scroll` moves the page.
    #[serde(default)]
    selector: Option<String>,
    /// For `press`: `Enter`, `ArrowDown`, `Control+a`.
    #[serde(default)]
    key: Option<String>,
    /// For `type`: typed key by key.
    #[serde(default)]
    text: Option<String>,
    /// For `drag`: the element to drop it on.
    #[serde(default)]
    to: Option<String>,
    /// For `upload`: files of the workspace.
    #[serde(default)]
    paths: Vec<String>,
    /// For `scroll`: pixels down, negative for up.
    #[serde(default)]
    by: Option<f64>,
    /// Time in milliseconds; 10,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// Move the mouse over the element.
    Hover,
    /// Press a key.
    Press,
    /// Type a text key by key, as scripts that listen to keys need it; otherwise use `fill`.
    Type,
    /// Drag the element onto another.
    Drag,
    /// Choose files in a file field.
    Upload,
    /// Scroll the element into view, or the page by pixels.
    Scroll,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    page: PageReport,
}

/// Most files of an upload.
const MAX_FILES: usize = 20;
/// Most characters that are typed key by key: each takes two messages.
const MAX_TYPED: usize = 2_000;

impl Params {
    fn selector(&self) -> Result<&str, ToolError> {
        self.selector.as_deref().ok_or_else(|| missing("selector"))
    }

    fn check(&self) -> Result<(), ToolError> {
        timeout(BrowserAct::NAME, self.timeout_ms, ACTION_TIMEOUT)?;
        for selector in self.selector.iter().chain(&self.to) {
            crate::target::Selector::parse(BrowserAct::NAME, selector)?;
        }
        match self.action {
            Action::Hover => self.selector().map(drop),
            Action::Press => {
                let key = self.key.as_deref().ok_or_else(|| missing("key"))?;
                crate::keys::key(BrowserAct::NAME, key).map(drop)
            }
            Action::Type => {
                let text = self.text.as_deref().ok_or_else(|| missing("text"))?;
                if text.len() > MAX_SCRIPT_BYTES || text.chars().count() > MAX_TYPED {
                    let message = format!(
                        "{}: `text` has more than {MAX_TYPED} characters",
                        BrowserAct::NAME
                    );
                    return Err(
                        ToolError::new(Code::TooLarge, message).hint("`fill` takes longer ones")
                    );
                }
                Ok(())
            }
            Action::Drag => {
                self.to.as_deref().ok_or_else(|| missing("to"))?;
                self.selector().map(drop)
            }
            Action::Upload => {
                if self.paths.is_empty() || self.paths.len() > MAX_FILES {
                    return Err(missing("paths"));
                }
                self.selector().map(drop)
            }
            Action::Scroll if self.selector.is_none() && self.by.is_none() => Err(missing("by")),
            Action::Scroll => Ok(()),
        }
    }

    /// The files of an upload.
    fn files(&self, context: &Context<'_>) -> Result<Vec<PathBuf>, ToolError> {
        let locate = |written: &String| {
            let path = context.snapshot.locate(written)?;
            if !context.may_read(&path) {
                let message =
                    format!("{}: {}: may not be read", BrowserAct::NAME, path.display_path());
                return Err(ToolError::new(Code::Denied, message));
            }
            let entry = context.snapshot.entry(&path)?;
            if entry.kind != workspace::FileKind::File {
                let message = format!("{}: {}: is no file", BrowserAct::NAME, path.display_path());
                return Err(ToolError::new(Code::Unsupported, message));
            }
            Ok(path.absolute())
        };
        self.paths.iter().map(locate).collect()
    }
}

fn missing(parameter: &str) -> ToolError {
    let message = format!("{}: this action needs `{parameter}`", BrowserAct::NAME);
    ToolError::new(Code::InvalidParams, message)
}

impl Tool for BrowserAct {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_act";
    const DESCRIPTION: &'static str = "Operate the page: hover, press a key, type, drag, upload files, scroll. Use `click` \
        and `fill` for the rest. Returns what it caused.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network, EffectKind::Read];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("ref", "selector"),
        ("target", "selector"),
        ("files", "paths"),
        ("timeout", "timeout_ms"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(text_of(result, "done"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.check()?;
        let mut effects = crate::effects::of_action(context, Self::NAME);
        if params.action == Action::Upload {
            let _ = params.files(context)?;
            for written in &params.paths {
                effects.push(Effect::read(&context.snapshot.locate(written)?));
            }
            // The page may send them to its host.
            effects.extend(crate::effects::of_upload(context, Self::NAME, &params.paths));
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        call.refuse_if_dialog()?;
        let before = call.before();
        let navigations = call.navigations();
        match params.action {
            Action::Hover => {
                let (_, x, y) = call.find_ready(params.selector()?, Needs::HOVER)?;
                call.mouse("mouseMoved", x, y, &json!({}))?;
            }
            Action::Press => {
                focus(&call, params.selector.as_deref())?;
                call.press(&crate::keys::key(
                    Self::NAME,
                    params.key.as_deref().unwrap_or_default(),
                )?)?;
            }
            Action::Type => {
                focus(&call, params.selector.as_deref())?;
                for character in params.text.as_deref().unwrap_or_default().chars() {
                    let name = match character {
                        '\n' => "Enter".to_owned(),
                        '\t' => "Tab".to_owned(),
                        other => other.to_string(),
                    };
                    call.press(&crate::keys::key(Self::NAME, &name)?)?;
                }
            }
            Action::Drag => {
                drag(&call, params.selector()?, params.to.as_deref().unwrap_or_default())?
            }
            Action::Upload => {
                let element = call.find(params.selector()?)?;
                let object = call.object(&element.frame, element.reference)?;
                let files = params.files(context)?;
                call.command(
                    "DOM.setFileInputFiles",
                    json!({ "objectId": object, "files": files }),
                )?;
            }
            Action::Scroll => scroll(&call, &params)?,
        }
        let is_settled = call.settle(navigations)?;
        let mut page = call.report(&before);
        page.loading = !is_settled;
        Ok(Output { page })
    }
}

fn focus(call: &Call<'_>, selector: Option<&str>) -> Result<(), ToolError> {
    let Some(selector) = selector else { return Ok(()) };
    let element = call.find(selector)?;
    let argument = json!({ "ref": element.reference });
    let answer: Value =
        call.run(&element.frame, "focus", &argument).map_err(|error| call.failed(&error))?;
    if answer["gone"] == true { Err(call.gone()) } else { Ok(()) }
}

fn drag(call: &Call<'_>, from: &str, to: &str) -> Result<(), ToolError> {
    /// Scripts start a drag after some pixels, and follow it by the moves.
    const STEPS: i32 = 8;
    // The place to drop at first: the element must be in view when it is taken.
    call.find_ready(to, Needs::HOVER)?;
    let (_, x, y) = call.find_ready(from, Needs::HOVER)?;
    let (_, to_x, to_y) = call.find_ready(to, Needs::HOVER)?;
    let held = json!({ "button": "left", "buttons": 1 });
    call.mouse("mouseMoved", x, y, &json!({}))?;
    call.mouse("mousePressed", x, y, &json!({ "button": "left", "clickCount": 1 }))?;
    for step in 1..=STEPS {
        let part = f64::from(step) / f64::from(STEPS);
        call.mouse("mouseMoved", x + (to_x - x) * part, y + (to_y - y) * part, &held)?;
    }
    call.mouse("mouseReleased", to_x, to_y, &json!({ "button": "left", "clickCount": 1 }))
}

fn scroll(call: &Call<'_>, params: &Params) -> Result<(), ToolError> {
    let mut at = (100.0, 100.0);
    if let Some(selector) = &params.selector {
        let element = call.find(selector)?;
        let argument = json!({ "ref": element.reference });
        let answer: Value =
            call.run(&element.frame, "scrolled", &argument).map_err(|error| call.failed(&error))?;
        if answer["gone"] == true {
            return Err(call.gone());
        }
        if params.by.is_some() {
            let (_, x, y) = call.find_ready(selector, Needs::HOVER)?;
            at = (x, y);
        }
    }
    if let Some(by) = params.by {
        call.mouse("mouseWheel", at.0, at.1, &json!({ "deltaX": 0, "deltaY": by }))?;
    }
    Ok(())
}
