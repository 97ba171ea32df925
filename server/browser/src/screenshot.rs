//! `browser_screenshot`: a picture of the page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{
    Code, Context, Effect, EffectKind, Picture, StoredFile, Tool, ToolError, storage_effect,
    storage_path, store_bytes,
};
use web::push;

use crate::call::Call;
use crate::limits::{DEFAULT_TIMEOUT, MAX_PICTURE_BYTES, MAX_PICTURE_HEIGHT};

pub(crate) struct BrowserScreenshot;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The element to capture: a reference of `browser_snapshot` (`e12`), CSS, or `text=Save`.
    #[serde(default)]
    selector: Option<String>,
    /// Capture the whole page, not only what the window shows.
    #[serde(default)]
    full_page: bool,
    #[serde(default)]
    format: Format,
    /// Store it in this file of the workspace instead of returning it.
    #[serde(default)]
    path: Option<String>,
    /// Replace that file if it exists.
    #[serde(default)]
    overwrite: bool,
}

/// The format of a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Png,
    Jpeg,
    Webp,
    /// The whole page as a document for printing; needs `path`.
    Pdf,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
            Self::Pdf => "pdf",
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The picture, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    /// Its format; a large one becomes a JPEG.
    format: &'static str,
    /// Its width in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    /// Its height in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    /// The file in which it was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<StoredFile>,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Deserialize)]
struct PageSize {
    width: f64,
    height: f64,
    ratio: f64,
    #[serde(rename = "viewWidth")]
    view_width: f64,
    #[serde(rename = "viewHeight")]
    view_height: f64,
}

/// A part of the page, in CSS pixels.
#[derive(Clone, Copy)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Tool for BrowserScreenshot {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_screenshot";
    const ALIASES: &'static [&'static str] = &["browser_take_screenshot"];
    const DESCRIPTION: &'static str = "Take a picture of the open page: the window, an element or the full page. Returns \
        it, or stores it with `path`; `format: \"pdf\"` prints the page. To find and use elements, take a \
        `browser_snapshot` instead.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network, EffectKind::Write];
    const LOCKS_LATE: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("ref", "selector"),
        ("target", "selector"),
        ("fullPage", "full_page"),
        ("type", "format"),
        ("filename", "path"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        if let Some(path) = result["saved"]["path"].as_str() {
            push(&mut text, format_args!("stored {} bytes in {path}", result["saved"]["size"]));
        }
        if let (Some(width), Some(height)) = (result["width"].as_u64(), result["height"].as_u64()) {
            push(
                &mut text,
                format_args!("{width}×{height} {}", result["format"].as_str().unwrap_or_default()),
            );
        }
        web::push_rest(&mut text, result);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn picture(result: &Value) -> Option<Picture> {
        let data = result["data"].as_str()?.to_owned();
        Some(Picture {
            data,
            mime_type: format!("image/{}", result["format"].as_str()?),
            field: "data",
        })
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let invalid =
            |why: &str| Err(ToolError::new(Code::InvalidParams, format!("{}: {why}", Self::NAME)));
        if params.full_page && params.selector.is_some() {
            return invalid("`selector` and `full_page` exclude each other");
        }
        if params.format == Format::Pdf && (params.path.is_none() || params.selector.is_some()) {
            return invalid("a PDF is of the whole page, and needs `path`");
        }
        let mut effects = crate::effects::of_action(context, Self::NAME);
        let path = params.path.as_deref();
        effects.extend(storage_effect(context, Self::NAME, path, params.overwrite)?);
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, None, DEFAULT_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        call.refuse_if_dialog()?;
        let shot = if params.format == Format::Pdf {
            let printed = call.command("Page.printToPDF", json!({ "printBackground": true }))?;
            Shot { bytes: decoded(&call, &printed)?, format: Format::Pdf, size: None, note: None }
        } else {
            take(&call, &params)?
        };
        let (width, height) = shot.size.unzip();
        let format = shot.format.name();
        let output = Output {
            data: None,
            format,
            width,
            height,
            saved: None,
            action: None,
            note: shot.note,
        };
        let Some(path) = &params.path else {
            return Ok(Output { data: Some(STANDARD.encode(shot.bytes)), ..output });
        };
        let path = storage_path(context, Self::NAME, path, params.overwrite)?;
        let saved = store_bytes(context, Self::NAME, &path, shot.bytes, params.overwrite)?;
        Ok(Output { action: saved.action.clone(), saved: Some(saved), ..output })
    }
}

struct Shot {
    bytes: Vec<u8>,
    format: Format,
    size: Option<(u32, u32)>,
    note: Option<String>,
}

fn take(call: &Call<'_>, params: &Params) -> Result<Shot, ToolError> {
    let main = call.frames().into_iter().next().unwrap_or_default();
    let size: PageSize =
        call.run(&main, "size", &json!({})).map_err(|error| call.failed(&error))?;
    let mut notes = Vec::new();
    let area = match &params.selector {
        Some(selector) => Some(of_element(call, selector)?),
        None if params.full_page => {
            let height = size.height.min(MAX_PICTURE_HEIGHT / size.ratio.max(1.0));
            if height < size.height {
                notes.push(format!(
                    "the page is {} pixels high; its beginning was captured",
                    size.height
                ));
            }
            Some(Area { x: 0.0, y: 0.0, width: size.width, height })
        }
        None => None,
    };
    // What is returned must fit into a result; what is stored need not.
    let attempts: &[(f64, Option<Format>)] = if params.path.is_some() {
        &[(1.0, None)]
    } else {
        &[
            (1.0, None),
            (1.0, Some(Format::Jpeg)),
            (0.5, Some(Format::Jpeg)),
            (0.25, Some(Format::Jpeg)),
            (0.1, Some(Format::Jpeg)),
        ]
    };
    let whole = Area { x: 0.0, y: 0.0, width: size.view_width, height: size.view_height };
    for (scale, format) in attempts {
        let format = format.unwrap_or(params.format);
        let mut request =
            json!({ "format": format.name(), "optimizeForSpeed": format == Format::Png });
        if format != Format::Png {
            request["quality"] = 70.into();
        }
        if area.is_some() || *scale < 1.0 {
            let Area { x, y, width, height } = area.unwrap_or(whole);
            request["clip"] =
                json!({ "x": x, "y": y, "width": width, "height": height, "scale": scale });
            request["captureBeyondViewport"] = area.is_some().into();
        }
        let bytes = decoded(call, &call.command("Page.captureScreenshot", request)?)?;
        if params.path.is_none() && bytes.len() > MAX_PICTURE_BYTES {
            continue;
        }
        if *scale < 1.0 {
            notes.push(format!("shrunk to {scale}; `path` stores it whole"));
        }
        let pixels = |length: f64| (length * scale * size.ratio).round().clamp(0.0, 1e6) as u32;
        let of = area.unwrap_or(whole);
        let note = (!notes.is_empty()).then(|| notes.join("; "));
        return Ok(Shot { bytes, format, size: Some((pixels(of.width), pixels(of.height))), note });
    }
    Err(ToolError::new(
        Code::TooLarge,
        format!("{}: the picture is too large for a result", call.tool),
    )
    .hint("`path` stores it in a file"))
}

/// The place of an element on the page.
fn of_element(call: &Call<'_>, selector: &str) -> Result<Area, ToolError> {
    #[derive(Deserialize)]
    struct Scrolled {
        #[serde(default)]
        gone: bool,
        #[serde(default)]
        x: f64,
        #[serde(default)]
        y: f64,
        #[serde(default)]
        width: f64,
        #[serde(default)]
        height: f64,
    }
    let element = call.find(selector)?;
    let argument = json!({ "ref": element.reference });
    let mut place: Scrolled =
        call.run(&element.frame, "scrolled", &argument).map_err(|error| call.failed(&error))?;
    if place.gone {
        return Err(call.gone());
    }
    if !call.is_main(&element.frame) {
        let object = call.object(&element.frame, element.reference)?;
        let quads = call.command("DOM.getContentQuads", json!({ "objectId": object }))?;
        let metrics = call.command("Page.getLayoutMetrics", json!({}))?;
        let view = &metrics["cssVisualViewport"];
        place.x = quads["quads"][0][0].as_f64().unwrap_or_default()
            + view["pageX"].as_f64().unwrap_or_default();
        place.y = quads["quads"][0][1].as_f64().unwrap_or_default()
            + view["pageY"].as_f64().unwrap_or_default();
    }
    if place.width < 1.0 || place.height < 1.0 {
        return Err(ToolError::new(
            Code::NoMatch,
            format!("{}: `{selector:.200}` is not visible", call.tool),
        ));
    }
    Ok(Area {
        x: place.x,
        y: place.y,
        width: place.width,
        height: place.height.min(MAX_PICTURE_HEIGHT),
    })
}

fn decoded(call: &Call<'_>, answer: &Value) -> Result<Vec<u8>, ToolError> {
    let data = answer["data"].as_str().unwrap_or_default();
    STANDARD.decode(data).map_err(|error| {
        ToolError::new(Code::Internal, format!("{}: the picture is not base64: {error}", call.tool))
    })
}
