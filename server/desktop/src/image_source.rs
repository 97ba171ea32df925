//! Where a tool's picture comes from: a file, the call itself, a window, or the screen.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tools::{Code, Context, Effect, ToolError};

use crate::approval::{Access, check, on_screen, on_window};
use crate::decode::decoded;
use crate::display::Display;
use crate::pixels::Pixels;
use crate::portal;
use crate::screenshot::Region;
use crate::windows::parse_id;

/// The source of a picture.
pub(crate) enum ImageSource<'p> {
    /// In base64.
    Data(&'p str),
    /// A file of the workspace.
    File(&'p str),
    Window(&'p str),
    Screen,
}

/// A picture, and where its part begins in the whole.
pub(crate) struct Image {
    pub(crate) pixels: Pixels,
    pub(crate) x: i32,
    pub(crate) y: i32,
}

impl<'p> ImageSource<'p> {
    /// The source that parameters name: at most one of them, else it is the screen.
    pub(crate) fn new(
        tool: &str,
        path: Option<&'p str>,
        data: Option<&'p str>,
        window_id: Option<&'p str>,
    ) -> Result<Self, ToolError> {
        let named = [path.map(Self::File), data.map(Self::Data), window_id.map(Self::Window)];
        let mut named = named.into_iter().flatten().filter(|source| !source.is_empty());
        match (named.next(), named.next()) {
            (_, Some(_)) => Err(ToolError::new(
                Code::InvalidParams,
                format!("{tool}: a file, base64 and a window exclude each other"),
            )),
            (source, None) => Ok(source.unwrap_or(Self::Screen)),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::File("") | Self::Data("") | Self::Window(""))
    }

    /// The effects of reading it.
    pub(crate) fn effects(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        what: &str,
    ) -> Result<Vec<Effect>, ToolError> {
        Ok(match self {
            Self::Data(_) => Vec::new(),
            Self::File(path) => vec![Effect::read(&context.snapshot.locate(path)?)],
            Self::Window(id) => {
                let window = Display::open(context, tool)?.window(parse_id(tool, id)?)?;
                vec![on_window(Access::View, &window, what)]
            }
            Self::Screen => {
                // Without a display nobody needs to be asked.
                if !portal::has_screen(context, tool) {
                    drop(Display::open(context, tool)?);
                }
                vec![on_screen()]
            }
        })
    }

    /// The picture, or its part.
    pub(crate) fn read(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        region: Option<Region>,
    ) -> Result<Image, ToolError> {
        let pixels = match self {
            Self::Data(data) => {
                // A `data:` URL, or base64 alone.
                let data = data.split_once(',').map_or(*data, |(_, data)| data);
                let data: String = data.split_whitespace().collect();
                let bytes = STANDARD.decode(data).map_err(|error| {
                    ToolError::new(
                        Code::InvalidParams,
                        format!("{tool}: the picture is not base64: {error}"),
                    )
                })?;
                decoded(tool, &bytes)?
            }
            Self::File(path) => {
                let path = context.snapshot.locate(path)?;
                decoded(tool, &context.snapshot.read_bytes(&path)?.bytes)?
            }
            Self::Window(id) => {
                let display = Display::open(context, tool)?;
                let window = display.window(parse_id(tool, id)?)?;
                check(context, &display, Access::View, &window)?;
                display.capture_window(&window)?
            }
            Self::Screen if portal::has_screen(context, tool) => portal::screen(context, tool)?,
            Self::Screen => {
                let display = Display::open(context, tool)?;
                display.capture_screen(display.screen_area())?
            }
        };
        let Some(region) = region else { return Ok(Image { pixels, x: 0, y: 0 }) };
        let area = region.within(tool, pixels.width, pixels.height)?;
        Ok(Image { pixels: pixels.part(area), x: area.x, y: area.y })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_source_can_be_named() {
        let source = |path, data, window| ImageSource::new("t", path, data, window);
        assert!(matches!(source(None, None, None), Ok(ImageSource::Screen)));
        assert!(matches!(source(Some(""), None, Some("0x5")), Ok(ImageSource::Window("0x5"))));
        let two = source(Some("a.png"), Some("iVBOR"), None);
        assert_eq!(two.err().unwrap().code, Code::InvalidParams);
    }
}
