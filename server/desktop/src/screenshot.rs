//! `screenshot`: a picture of the screen or of a window.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{
    Code, Context, Effect, EffectKind, Picture, StoredFile, Tool, ToolError, storage_effect,
    storage_path, store_bytes,
};

use crate::approval::{Access, check, on_screen, on_window};
use crate::display::Display;
use crate::limits::DEFAULT_PICTURE_TOKENS;
use crate::picture_file::{Format, encoded, for_result, scale_for};
use crate::pixels::{Area, Pixels};
use crate::portal;
use crate::text::push;
use crate::windows::{DesktopWindow, parse_id};

pub(crate) struct Screenshot;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The window to capture, also if others cover it; without it the screen, as the person sees it.
    #[serde(default)]
    window_id: Option<String>,
    /// Only this part, in pixels of the window or the screen.
    #[serde(default)]
    region: Option<Region>,
    #[serde(default)]
    format: Format,
    /// Shrink it to this many tokens of a model, at 750 pixels each; 1,600 by default if it is returned.
    #[serde(default)]
    max_tokens: Option<u32>,
    /// Store it in this file of the workspace instead of returning it.
    #[serde(default)]
    path: Option<String>,
    /// Replace that file if it exists.
    #[serde(default)]
    overwrite: bool,
}

/// A part of a picture.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Region {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Region {
    pub(crate) fn area(self) -> Area {
        Area { x: self.x, y: self.y, width: self.width, height: self.height }
    }

    /// The part that lies in an area of this size.
    pub(crate) fn within(self, tool: &str, width: u32, height: u32) -> Result<Area, ToolError> {
        self.area().shared(Area { x: 0, y: 0, width, height }).ok_or_else(|| {
            let message = format!(
                "{tool}: `region` has no pixel in common with the {width}×{height} that there are"
            );
            ToolError::new(Code::InvalidParams, message)
        })
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
    width: u32,
    /// Its height in pixels.
    height: u32,
    /// How much it was shrunk: a place in it divided by this is one on the screen, counted from `x` and `y`.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<f64>,
    /// The place of its upper left corner on the screen.
    x: i32,
    y: i32,
    /// The file in which it was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<StoredFile>,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
}

impl Params {
    fn is_of_screen(&self) -> bool {
        self.window_id.as_deref().is_none_or(str::is_empty)
    }
}

impl Tool for Screenshot {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "screenshot";
    const DESCRIPTION: &'static str = "Take a picture of the screen, of a window (also a covered one) or of a region. \
        Returns it, shrunk to `max_tokens` with the scale, or stores it whole with `path`. For web pages \
        `browser_screenshot` is better.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin, EffectKind::Write];
    const OWN_SANDBOX: bool = true;
    const LOCKS_LATE: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("window", "window_id"), ("filename", "path")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        if let Some(path) = result["saved"]["path"].as_str() {
            push(&mut text, format_args!("stored {} bytes in {path}", result["saved"]["size"]));
        }
        push(
            &mut text,
            format_args!(
                "{}×{} {}, from {},{} of the screen",
                result["width"],
                result["height"],
                result["format"].as_str().unwrap_or_default(),
                result["x"],
                result["y"]
            ),
        );
        if let Some(scale) = result["scale"].as_f64() {
            push(&mut text, format_args!("scale {scale}: divide by it for places on the screen"));
        }
        Some(text)
    }

    fn picture(result: &Value) -> Option<Picture> {
        let data = result["data"].as_str()?.to_owned();
        let mime_type = format!("image/{}", result["format"].as_str()?);
        Some(Picture { data, mime_type, field: "data" })
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.max_tokens == Some(0) {
            let message = format!("{}: `max_tokens` is at least 1", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let mut effects = Vec::new();
        let path = params.path.as_deref();
        effects.extend(storage_effect(context, Self::NAME, path, params.overwrite)?);
        if params.is_of_screen() && portal::has_screen(context, Self::NAME) {
            effects.push(on_screen());
            return Ok(effects);
        }
        let display = Display::open(context, Self::NAME)?;
        effects.push(match target(&display, params)? {
            Some(window) => on_window(Access::View, &window, "take a picture"),
            None => on_screen(),
        });
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (pixels, x, y) = taken(context, &params)?;
        let Some(path) = &params.path else {
            let tokens = params.max_tokens.unwrap_or(DEFAULT_PICTURE_TOKENS);
            let returned = for_result(Self::NAME, &pixels, params.format, tokens)?;
            return Ok(Output {
                data: Some(returned.data),
                format: returned.format.name(),
                width: returned.width,
                height: returned.height,
                scale: rounded(returned.scale),
                x,
                y,
                saved: None,
                action: None,
            });
        };
        let scale = params.max_tokens.map_or(1.0, |tokens| scale_for(&pixels, tokens));
        let pixels = if scale < 1.0 { pixels.shrunk(scale) } else { pixels };
        let bytes = encoded(Self::NAME, &pixels, params.format)?;
        let path = storage_path(context, Self::NAME, path, params.overwrite)?;
        let saved = store_bytes(context, Self::NAME, &path, bytes, params.overwrite)?;
        let (width, height) = (pixels.width, pixels.height);
        let (format, action) = (params.format.name(), saved.action.clone());
        Ok(Output {
            data: None,
            format,
            width,
            height,
            scale: rounded(scale),
            x,
            y,
            action,
            saved: Some(saved),
        })
    }
}

/// The window of a call, if it names one.
fn target(display: &Display<'_>, params: &Params) -> Result<Option<DesktopWindow>, ToolError> {
    let id = params.window_id.as_deref().filter(|id| !id.is_empty());
    id.map(|id| display.window(parse_id(Screenshot::NAME, id)?)).transpose()
}

/// The picture, and where it is on the screen.
fn taken(context: &Context<'_>, params: &Params) -> Result<(Pixels, i32, i32), ToolError> {
    if params.is_of_screen() && portal::has_screen(context, Screenshot::NAME) {
        let pixels = portal::screen(context, Screenshot::NAME)?;
        let Some(region) = params.region else { return Ok((pixels, 0, 0)) };
        let area = region.within(Screenshot::NAME, pixels.width, pixels.height)?;
        return Ok((pixels.part(area), area.x, area.y));
    }
    let display = Display::open(context, Screenshot::NAME)?;
    let Some(window) = target(&display, params)? else {
        let screen = display.screen_area();
        let area = match params.region {
            Some(region) => region.within(Screenshot::NAME, screen.width, screen.height)?,
            None => screen,
        };
        return Ok((display.capture_screen(area)?, area.x, area.y));
    };
    check(context, &display, Access::View, &window)?;
    let pixels = display.capture_window(&window)?;
    let Some(region) = params.region else { return Ok((pixels, window.x, window.y)) };
    let area = region.within(Screenshot::NAME, pixels.width, pixels.height)?;
    Ok((pixels.part(area), window.x + area.x, window.y + area.y))
}

/// The scale as results show it; `None` if nothing was shrunk.
fn rounded(scale: f64) -> Option<f64> {
    (scale < 1.0).then(|| (scale * 10_000.0).round() / 10_000.0)
}
