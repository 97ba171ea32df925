//! `wait_for_screen`: waits until something is on the screen, or nothing changes any more.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::approval::{Access, check, on_screen, on_window};
use crate::detect_elements::{DetectedElement, element_line, plain_type};
use crate::display::Display;
use crate::limits::{
    DEFAULT_WAIT_MS, ELEMENT_LOOK, FIRST_LOOK, LAST_LOOK, MAX_WAIT_MS, PROGRAM_START, READ_TIMEOUT,
};
use crate::ocr::read_text;
use crate::pixels::Pixels;
use crate::screenshot::Region;
use crate::tesseract::{languages, program};
use crate::text_block::TextBlock;
use crate::visible_elements::{Missing, of_screen, of_window};
use crate::windows::{DesktopWindow, parse_id};

pub(crate) struct WaitForScreen;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A text to wait for: in an element, or in the picture.
    #[serde(default)]
    text: Option<String>,
    /// A type of element to wait for, as `detect_elements` has it; with `text`, one that has this text.
    #[serde(default)]
    element_type: Option<String>,
    /// Wait until it is gone.
    #[serde(default)]
    gone: bool,
    /// Wait until the picture has not changed for this many milliseconds.
    #[serde(default)]
    stable_ms: Option<u64>,
    /// The window; without it, the screen.
    #[serde(default)]
    window_id: Option<String>,
    /// Only this part of the picture, in pixels of the window or the screen.
    #[serde(default)]
    region: Option<Region>,
    /// The language of the text in the picture: `eng` by default.
    #[serde(default)]
    language: Option<String>,
    /// Time in milliseconds, at most 300,000; 10,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// How long it took, in milliseconds.
    waited_ms: u64,
    /// What was found. Text that was read in the picture has a confidence below 1 and no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<DetectedElement>,
}

impl Tool for WaitForScreen {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "wait_for_screen";
    const DESCRIPTION: &'static str = "Wait until a text or an element is in a window or on the screen, or gone, or until \
        the picture has stopped changing. Returns the element or the place of the text. For web pages use \
        `browser_wait`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("window", "window_id"), ("timeout", "timeout_ms"), ("lang", "language")];

    fn text(result: &Value) -> Option<String> {
        let after = format!("after {} ms", result["waited_ms"]);
        Some(match result["element"].is_object() {
            true => format!("{}, {after}", element_line(&result["element"])),
            false => format!("done {after}"),
        })
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Condition::new(params)?;
        languages(Self::NAME, params.language.as_deref())?;
        let display = Display::open(context, Self::NAME)?;
        Ok(vec![match window_of(&display, params)? {
            Some(window) => on_window(Access::View, &window, "look until something is there"),
            None => on_screen(),
        }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let condition = Condition::new(&params)?;
        let display = Display::open(context, Self::NAME)?;
        if let Some(window) = window_of(&display, &params)? {
            check(context, &display, Access::View, &window)?;
        }
        let begun = Instant::now();
        let time = Duration::from_millis(params.timeout_ms.unwrap_or(DEFAULT_WAIT_MS));
        let mut look = Look::new(context, &display, &params);
        let mut interval = FIRST_LOOK;
        loop {
            display.allow(READ_TIMEOUT);
            let seen = look.now(&condition)?;
            if seen.is_done {
                let waited_ms = begun.elapsed().as_millis() as u64;
                return Ok(Output { waited_ms, element: seen.element });
            }
            let left = time.saturating_sub(begun.elapsed());
            if left.is_zero() {
                let message = format!("{} after {} ms", condition.missing(), time.as_millis());
                return Err(display
                    .error(Code::Timeout, message)
                    .hint("take a screenshot; ocr and detect_elements return what is there")
                    .details(json!({ "seen": look.last_text })));
            }
            display.allow(interval + READ_TIMEOUT);
            display.pause(interval.min(left))?;
            interval = (interval * 3 / 2).min(LAST_LOOK);
        }
    }
}

/// What a call waits for.
enum Condition {
    Stable(Duration),
    /// In lower case, with single blanks.
    Text {
        text: String,
        is_gone: bool,
    },
    Element {
        element_type: String,
        text: String,
        is_gone: bool,
    },
}

impl Condition {
    fn new(params: &Params) -> Result<Self, ToolError> {
        let invalid = |message: &str| {
            Err(ToolError::new(Code::InvalidParams, format!("{}: {message}", WaitForScreen::NAME)))
        };
        if params.timeout_ms.is_some_and(|time| time > MAX_WAIT_MS) {
            return invalid("`timeout_ms` is at most 300,000");
        }
        let text = plain(params.text.as_deref().unwrap_or_default());
        let element_type = plain_type(params.element_type.as_deref().unwrap_or_default());
        let is_gone = params.gone;
        match (params.stable_ms, text.is_empty(), element_type.is_empty()) {
            (Some(time), true, true) if !is_gone && time <= MAX_WAIT_MS => {
                Ok(Self::Stable(Duration::from_millis(time)))
            }
            (None, false, true) => Ok(Self::Text { text, is_gone }),
            (None, _, false) => Ok(Self::Element { element_type, text, is_gone }),
            _ => invalid("give `text`, `element_type`, or `stable_ms` alone"),
        }
    }

    fn missing(&self) -> String {
        match self {
            Self::Stable(_) => "the picture still changes".to_owned(),
            Self::Text { text, is_gone: false } => format!("`{text:.80}` is not there"),
            Self::Text { text, is_gone: true } => format!("`{text:.80}` is still there"),
            Self::Element { element_type, text, is_gone } => {
                let state = if *is_gone { "still there" } else { "not there" };
                let text =
                    if text.is_empty() { String::new() } else { format!(" with `{text:.80}`") };
                format!("an element `{element_type:.40}`{text} is {state}")
            }
        }
    }
}

/// A text as it is compared.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn window_of(display: &Display<'_>, params: &Params) -> Result<Option<DesktopWindow>, ToolError> {
    let id = params.window_id.as_deref().filter(|id| !id.is_empty());
    id.map(|id| display.window(parse_id(WaitForScreen::NAME, id)?)).transpose()
}

/// What a look at the screen finds.
struct Seen {
    is_done: bool,
    element: Option<DetectedElement>,
}

impl Seen {
    fn nothing() -> Self {
        Self { is_done: false, element: None }
    }

    fn done(element: Option<DetectedElement>) -> Self {
        Self { is_done: true, element }
    }
}

/// Looks at the same place again and again, and reads it only if it has changed.
struct Look<'l, 'c> {
    context: &'l Context<'l>,
    display: &'l Display<'c>,
    params: &'l Params,
    begun: Instant,
    last_picture: Option<u64>,
    changed: Instant,
    elements_read: Option<Instant>,
    /// The element or text that the last reading found.
    last_element: Option<DetectedElement>,
    last_line: Option<DetectedElement>,
    /// When reading the picture ended, and how long it took.
    picture_read: Option<(Instant, Duration)>,
    /// Whether the picture has changed since it was read.
    is_unread: bool,
    /// A part of the text that was read last, for the error.
    last_text: String,
}

/// Length of the text in the error.
const SEEN_CHARACTERS: usize = 1_000;

impl<'l, 'c> Look<'l, 'c> {
    fn new(context: &'l Context<'l>, display: &'l Display<'c>, params: &'l Params) -> Self {
        Self {
            context,
            display,
            params,
            begun: Instant::now(),
            last_picture: None,
            changed: Instant::now(),
            elements_read: None,
            last_element: None,
            last_line: None,
            picture_read: None,
            is_unread: true,
            last_text: String::new(),
        }
    }

    fn now(&mut self, condition: &Condition) -> Result<Seen, ToolError> {
        let window = match window_of(self.display, self.params) {
            Ok(window) => window,
            Err(error) => return self.without_window(condition, error),
        };
        let (pixels, origin) = match self.picture(window.as_ref()) {
            Ok(picture) => picture,
            Err(error) => return self.without_window(condition, error),
        };
        let mut hasher = DefaultHasher::new();
        pixels.rgb.hash(&mut hasher);
        let picture = hasher.finish();
        let has_changed = self.last_picture != Some(picture);
        self.last_picture = Some(picture);
        if has_changed {
            self.changed = Instant::now();
            self.is_unread = true;
        }
        match condition {
            Condition::Stable(time) => {
                let is_done = !has_changed && self.changed.elapsed() >= *time;
                Ok(Seen { is_done, element: None })
            }
            Condition::Element { element_type, text, is_gone } => {
                let read = self.read_elements(window.as_ref(), has_changed, |element| {
                    element.is_of_type(element_type) && (text.is_empty() || has(element, text))
                });
                match read {
                    Ok(()) => Ok(Self::outcome(*is_gone, self.last_element.clone())),
                    Err(error)
                        if error.code == Code::Unavailable
                            && self.begun.elapsed() < PROGRAM_START =>
                    {
                        Ok(Seen::nothing())
                    }
                    Err(error) => Err(error),
                }
            }
            Condition::Text { text, is_gone } => {
                match self.read_elements(window.as_ref(), has_changed, |element| has(element, text))
                {
                    Ok(()) => {}
                    Err(error) if error.code == Code::Unavailable => self.last_element = None,
                    Err(error) => return Err(error),
                }
                if self.last_element.is_some() {
                    return Ok(Self::outcome(*is_gone, self.last_element.clone()));
                }
                let is_read = self.read_picture(&pixels, origin, text)?;
                if !is_read && *is_gone {
                    return Ok(Seen::nothing());
                }
                Ok(Self::outcome(*is_gone, self.last_line.clone()))
            }
        }
    }

    fn outcome(is_gone: bool, found: Option<DetectedElement>) -> Seen {
        match (is_gone, found) {
            (true, None) => Seen::done(None),
            (false, Some(found)) => Seen::done(Some(found)),
            _ => Seen::nothing(),
        }
    }

    /// In a window that is not there nothing can appear; what was in it is gone.
    fn without_window(&self, condition: &Condition, error: ToolError) -> Result<Seen, ToolError> {
        let is_gone = matches!(
            condition,
            Condition::Text { is_gone: true, .. } | Condition::Element { is_gone: true, .. }
        );
        match error.code {
            Code::NoMatch | Code::Conflict if is_gone => Ok(Seen::done(None)),
            // It may be restored.
            Code::Conflict => Ok(Seen::nothing()),
            _ => Err(error),
        }
    }

    /// The picture, and where it begins in the window or on the screen.
    fn picture(&self, window: Option<&DesktopWindow>) -> Result<(Pixels, (i32, i32)), ToolError> {
        let pixels = match window {
            Some(window) => self.display.capture_window(window)?,
            None => self.display.capture_screen(self.display.screen_area())?,
        };
        let Some(region) = self.params.region else { return Ok((pixels, (0, 0))) };
        let area = region.within(WaitForScreen::NAME, pixels.width, pixels.height)?;
        Ok((pixels.part(area), (area.x, area.y)))
    }

    /// Looks for an element, if the picture has changed or some time has passed.
    fn read_elements(
        &mut self,
        window: Option<&DesktopWindow>,
        has_changed: bool,
        is_wanted: impl Fn(&DetectedElement) -> bool,
    ) -> Result<(), ToolError> {
        let is_due = self.elements_read.is_none_or(|read| read.elapsed() >= ELEMENT_LOOK);
        if !has_changed && !is_due {
            return Ok(());
        }
        let interrupt = self.context.interrupt;
        let found = match window {
            Some(window) => of_window(self.display, interrupt, window, WaitForScreen::NAME),
            None => of_screen(self.display, interrupt, WaitForScreen::NAME),
        };
        self.elements_read = Some(Instant::now());
        let found = match found {
            Ok(found) => found,
            Err(Missing::None(none)) => return Err(none.error(WaitForScreen::NAME)),
            Err(Missing::Error(error)) => return Err(error),
        };
        let origin = found.origin;
        let elements =
            found.elements.into_iter().map(|element| DetectedElement::of(element, origin));
        let region = self.params.region;
        let is_inside = |element: &DetectedElement| {
            region.is_none_or(|region| region.area().shared(element.bounding_box.area()).is_some())
        };
        self.last_element =
            elements.into_iter().find(|element| is_inside(element) && is_wanted(element));
        Ok(())
    }

    /// Looks for a text in the picture, if it has changed, but not more than half of the time. Returns whether it
    /// is known what the picture shows now.
    fn read_picture(
        &mut self,
        pixels: &Pixels,
        origin: (i32, i32),
        text: &str,
    ) -> Result<bool, ToolError> {
        if !self.is_unread {
            return Ok(true);
        }
        if program().is_none() {
            // Without Tesseract, elements are all that can be read.
            return match self.last_picture.is_some() && self.elements_read.is_some() {
                true => Ok(true),
                false => Ok(false),
            };
        }
        if self.picture_read.is_some_and(|(end, took)| end.elapsed() < took) {
            return Ok(false);
        }
        let begun = Instant::now();
        let languages = languages(WaitForScreen::NAME, self.params.language.as_deref())?;
        let read = read_text(self.context, WaitForScreen::NAME, pixels, origin, &languages)?;
        self.picture_read = Some((Instant::now(), begun.elapsed()));
        self.is_unread = false;
        self.last_text = read.text.chars().take(SEEN_CHARACTERS).collect();
        let line = read.lines.into_iter().find(|line| plain(&line.text).contains(text));
        self.last_line = line.map(of_line);
        Ok(true)
    }
}

fn has(element: &DetectedElement, text: &str) -> bool {
    plain(&element.text).contains(text)
        || element.value.as_ref().is_some_and(|value| plain(value).contains(text))
}

/// A line that was read in the picture.
fn of_line(line: TextBlock) -> DetectedElement {
    DetectedElement {
        id: None,
        element_type: "text".to_owned(),
        text: line.text,
        value: None,
        bounding_box: line.bounding_box,
        confidence: line.confidence,
        states: Vec::new(),
        actions: Vec::new(),
        role: String::new(),
    }
}
