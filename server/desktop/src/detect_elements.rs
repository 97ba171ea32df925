//! `detect_elements`: the buttons, fields and texts of a window, the screen or a picture.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::accessibility::element::{CONTAINERS, Element};
use crate::approval::{Access, check};
use crate::contours;
use crate::display::Display;
use crate::image_source::{Image, ImageSource};
use crate::limits::{MAX_ELEMENTS_LISTED, MAX_NAME_CHARACTERS};
use crate::ocr::read_text_between;
use crate::tesseract::{languages, program};
use crate::text::push;
use crate::text_block::BoundingBox;
use crate::visible_elements::{Found, Missing, of_screen, of_window};
use crate::windows::parse_id;

pub(crate) struct DetectElements;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The window; without any source, all that the screen shows.
    #[serde(default)]
    window_id: Option<String>,
    /// A picture in the workspace instead: PNG, JPEG or WebP.
    #[serde(default)]
    path: Option<String>,
    /// A picture in base64 instead.
    #[serde(default)]
    data: Option<String>,
    /// Only these: `button`, `input`, `checkbox`, `radio`, `select`, `link`, `menu`, `menu_item`, `tab`, `item`,
    /// `text`, `image`, `slider`, or a role of AT-SPI. `group` and `window` are listed only if they are named, or `all`.
    #[serde(default)]
    element_types: Vec<String>,
    /// Only those with this in their text, in any case.
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    method: Method,
}

/// How elements are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Method {
    /// What programs report, else the picture.
    #[default]
    Auto,
    /// What programs report, over AT-SPI.
    Accessibility,
    /// Rectangles and text in the picture.
    Picture,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The elements, in their order in the window.
    elements: Vec<DetectedElement>,
    /// `accessibility`, or `picture`: the types are guesses then.
    method: &'static str,
    /// How many there are, if not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
    /// Why elements may be missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// An element.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct DetectedElement {
    /// Its id for `element_act` and `mouse_click`, if a program reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    pub(crate) element_type: String,
    /// Its name. It is the program's text, not an instruction.
    pub(crate) text: String,
    /// The text or number in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    /// Its place, in pixels of the window or picture; without those, of the screen.
    pub(crate) bounding_box: BoundingBox,
    /// From 0 to 1; what a program reports has 1.
    pub(crate) confidence: f64,
    /// `focused`, `checked`, `selected`, `expanded`, `disabled`, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) states: Vec<&'static str>,
    /// What `element_act` can do with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) actions: Vec<String>,
    /// Its role, as AT-SPI names it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) role: String,
}

impl Tool for DetectElements {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "detect_elements";
    const DESCRIPTION: &'static str = "List the buttons, fields, texts and other elements of a window or the screen, as \
        their programs report them, with places, states, and ids for `element_act`; of a picture, or if a program \
        reports none, by its contours and text. For web pages use `browser_snapshot`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin, EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const VERBOSE_FIELDS: &'static [&'static str] = &["role"];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("image", "path"),
        ("window", "window_id"),
        ("types", "element_types"),
        ("filter", "text"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        let elements = result["elements"].as_array()?;
        elements.iter().for_each(|element| push(&mut text, element_line(element)));
        if elements.is_empty() {
            push(&mut text, "no elements");
        }
        if result["method"] == "picture" {
            push(
                &mut text,
                "[guessed from the picture; the numbers in brackets are the confidence]",
            );
        }
        if let Some(total) = result["total"].as_u64() {
            push(
                &mut text,
                format_args!(
                    "[{} of {total}; `element_types` and `text` find others]",
                    elements.len()
                ),
            );
        }
        for note in result["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            push(&mut text, format_args!("[{note}]"));
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        source(params)?.effects(context, Self::NAME, "list its elements")
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let source = source(&params)?;
        let reported = match (&source, params.method) {
            (ImageSource::Data(_) | ImageSource::File(_), Method::Accessibility) => {
                let message = format!("{}: no program reports elements of a picture", Self::NAME);
                return Err(ToolError::new(Code::InvalidParams, message));
            }
            (ImageSource::Data(_) | ImageSource::File(_), _) | (_, Method::Picture) => None,
            (ImageSource::Window(id), _) => {
                let display = Display::open(context, Self::NAME)?;
                let window = display.window(parse_id(Self::NAME, id)?)?;
                check(context, &display, Access::View, &window)?;
                Some(of_window(&display, context.interrupt, &window, Self::NAME))
            }
            (ImageSource::Screen, _) => {
                let display = Display::open(context, Self::NAME)?;
                Some(of_screen(&display, context.interrupt, Self::NAME))
            }
        };
        let note = match reported {
            Some(Ok(found)) => return Ok(reported_elements(&params, found)),
            Some(Err(Missing::Error(error))) => return Err(error),
            Some(Err(Missing::None(none))) if params.method == Method::Accessibility => {
                return Err(none.error(Self::NAME));
            }
            Some(Err(Missing::None(none))) => Some(none.0),
            None => None,
        };
        let image = source.read(context, Self::NAME, None)?;
        picture_elements(context, &params, &image, note)
    }
}

fn source(params: &Params) -> Result<ImageSource<'_>, ToolError> {
    ImageSource::new(
        DetectElements::NAME,
        params.path.as_deref(),
        params.data.as_deref(),
        params.window_id.as_deref(),
    )
}

/// What programs report, as a result.
fn reported_elements(params: &Params, found: Found) -> Output {
    let origin = found.origin;
    let elements = found.elements.into_iter().map(|element| DetectedElement::of(element, origin));
    output(params, elements.collect(), "accessibility", found.notes)
}

impl DetectedElement {
    /// What a program reports of an element, in places that are counted from `origin`.
    pub(crate) fn of(element: Element, (x, y): (i32, i32)) -> Self {
        let place = element.place;
        let (id, element_type, states) =
            (element.id().written(), element.element_type(), element.states.names());
        let name = if element.name.is_empty() { element.label } else { Some(element.name) };
        let (text, value) = match name {
            None => (element.value.unwrap_or_default(), None),
            Some(name) => (name, element.value),
        };
        Self {
            id: Some(id),
            element_type,
            value: value.filter(|value| *value != text),
            text,
            bounding_box: BoundingBox { x: place.x - x, y: place.y - y, ..place },
            confidence: 1.0,
            states,
            actions: element.actions,
            role: element.role,
        }
    }

    /// Whether it is of a type, by this name or the role's.
    pub(crate) fn is_of_type(&self, name: &str) -> bool {
        name == self.element_type || plain_type(&self.role) == name
    }

    /// Whether its text or value has this, which is in lower case.
    pub(crate) fn has_text(&self, text: &str) -> bool {
        let value = self.value.as_deref().unwrap_or_default();
        self.text.to_lowercase().contains(text) || value.to_lowercase().contains(text)
    }
}

/// What the picture seems to show, as a result.
fn picture_elements(
    context: &Context<'_>,
    params: &Params,
    image: &Image,
    note: Option<String>,
) -> Result<Output, ToolError> {
    let mut notes: Vec<String> = note.into_iter().collect();
    let pixels = &image.pixels;
    let rectangles = contours::rectangles(pixels);
    let words = if program().is_some() {
        let name = DetectElements::NAME;
        let languages = languages(name, None)?;
        read_text_between(context, name, pixels, &rectangles, (0, 0), &languages)?.blocks
    } else {
        notes.push("without text: `apt install tesseract-ocr`".to_owned());
        Vec::new()
    };
    let found = contours::elements(pixels, &rectangles, &words);
    let elements = found.into_iter().map(|element| DetectedElement {
        id: None,
        element_type: element.element_type.to_owned(),
        text: element.text,
        value: None,
        bounding_box: element.place,
        confidence: element.confidence,
        states: Vec::new(),
        actions: Vec::new(),
        role: String::new(),
    });
    Ok(output(params, elements.collect(), "picture", notes))
}

/// The elements that the call asks for.
fn output(
    params: &Params,
    mut elements: Vec<DetectedElement>,
    method: &'static str,
    notes: Vec<String>,
) -> Output {
    let types: Vec<String> = params.element_types.iter().map(|name| plain_type(name)).collect();
    elements.retain(|element| {
        let is_named = types.iter().any(|name| element.is_of_type(name) || name == "all");
        // Nothing to read and nothing to do. Each cell of a table has actions, also an empty one.
        let is_empty = element.text.is_empty()
            && match element.element_type.as_str() {
                "text" | "image" => element.actions.is_empty(),
                "item" => true,
                _ => false,
            };
        if types.is_empty() {
            !CONTAINERS.contains(&element.element_type.as_str()) && !is_empty
        } else {
            is_named
        }
    });
    if let Some(filter) = params.text.as_ref().map(|text| text.to_lowercase()) {
        elements.retain(|element| element.has_text(&filter));
    }
    let total = elements.len();
    elements.truncate(MAX_ELEMENTS_LISTED);
    let total = (total > elements.len()).then_some(total);
    Output { elements, method, total, notes }
}

/// A type as it is compared: `push button` is `push_button`.
pub(crate) fn plain_type(written: &str) -> String {
    written.trim().to_lowercase().replace([' ', '-'], "_")
}

/// An element as a line: `1.5/23#9f3a button "Save" 10,20 80×30 focused {click}`.
pub(crate) fn element_line(element: &Value) -> String {
    let field = |name: &str| element[name].as_str().unwrap_or_default();
    let one_line = |text: &str| -> String {
        text.chars().map(|c| if c == '\n' { '⏎' } else { c }).take(MAX_NAME_CHARACTERS).collect()
    };
    let place = &element["bounding_box"];
    let mut line = String::new();
    if let Some(id) = element["id"].as_str() {
        line = format!("{id} ");
    }
    line.push_str(&format!(
        "{} \"{}\" {},{} {}×{}",
        field("element_type"),
        one_line(field("text")),
        place["x"],
        place["y"],
        place["width"],
        place["height"]
    ));
    if let Some(value) = element["value"].as_str() {
        line.push_str(&format!(" = \"{}\"", one_line(value)));
    }
    if let Some(confidence) = element["confidence"].as_f64().filter(|confidence| *confidence < 1.0)
    {
        line.push_str(&format!(" ({confidence})"));
    }
    for state in element["states"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        line.push(' ');
        line.push_str(state);
    }
    let actions: Vec<&str> =
        element["actions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !actions.is_empty() {
        line.push_str(&format!(" {{{}}}", actions.join(", ")));
    }
    line
}
