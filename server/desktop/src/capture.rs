//! Pictures of the screen and of windows.

use std::time::Instant;

use tools::{Code, ToolError};
use x11rb::connection::Connection;
use x11rb::protocol::composite::{ConnectionExt as _, Redirect};
use x11rb::protocol::xproto::{
    ConnectionExt, Drawable, GetImageReply, ImageFormat, ImageOrder, MapState, Window,
};

use crate::display::{Answer, Display};
use crate::limits::{DRAW_INTERVAL, DRAW_TIMEOUT, MAX_PIXELS};
use crate::pixels::{Area, Pixels};
use crate::windows::DesktopWindow;

impl Display<'_> {
    /// The whole screen.
    pub(crate) fn screen_area(&self) -> Area {
        Area { x: 0, y: 0, width: self.size.0.into(), height: self.size.1.into() }
    }

    /// A picture of a part of the screen, as the person sees it.
    pub(crate) fn capture_screen(&self, area: Area) -> Result<Pixels, ToolError> {
        self.image(self.root, area)
    }

    /// A picture of a window, also of what others cover.
    pub(crate) fn capture_window(&self, window: &DesktopWindow) -> Result<Pixels, ToolError> {
        let failed = |error| self.failed(error);
        let content = Area { x: window.x, y: window.y, width: window.width, height: window.height };
        let frame = self.frame(window.handle).map_err(failed)?;
        if window.is_minimized() || !self.is_viewable(window.handle).map_err(failed)? {
            return Err(self
                .error(Code::Conflict, format!("{} is not on the screen", window.label()))
                .hint("focus_window restores it"));
        }
        let is_whole = content.shared(self.screen_area()) == Some(content);
        if is_whole && !self.is_covered(frame, content).map_err(failed)? {
            return self.capture_screen(content);
        }
        self.capture_covered(frame, content)
    }

    fn is_viewable(&self, window: Window) -> Answer<bool> {
        let attributes = self.connection.get_window_attributes(window)?.reply()?;
        Ok(attributes.map_state == MapState::VIEWABLE)
    }

    /// Whether any window above `frame` covers a part of `area`.
    fn is_covered(&self, frame: Window, area: Area) -> Answer<bool> {
        let children = self.connection.query_tree(self.root)?.reply()?.children;
        let above = children.iter().skip_while(|window| **window != frame).skip(1);
        let cookies: Vec<_> = above
            .map(|window| {
                let attributes = self.connection.get_window_attributes(*window)?;
                Ok((attributes, self.connection.get_geometry(*window)?))
            })
            .collect::<Result<_, x11rb::errors::ConnectionError>>()?;
        let mut is_covered = false;
        for (attributes, geometry) in cookies {
            // One that was closed meanwhile covers nothing.
            let (Ok(attributes), Ok(geometry)) = (attributes.reply(), geometry.reply()) else {
                continue;
            };
            let place = Area {
                x: geometry.x.into(),
                y: geometry.y.into(),
                width: u32::from(geometry.width) + 2 * u32::from(geometry.border_width),
                height: u32::from(geometry.height) + 2 * u32::from(geometry.border_width),
            };
            is_covered |=
                attributes.map_state == MapState::VIEWABLE && place.shared(area).is_some();
        }
        Ok(is_covered)
    }

    /// A picture of a window that is covered, from the memory that it draws to.
    fn capture_covered(&self, frame: Window, content: Area) -> Result<Pixels, ToolError> {
        self.require(x11rb::protocol::composite::X11_EXTENSION_NAME)?;
        let failed = |error| self.failed(error);
        let pixmap = Pixmap::of(self, frame).map_err(failed)?;
        let place = self.connection.get_geometry(frame).map_err(|error| self.failed(error))?;
        let place = place.reply().map_err(|error| self.failed(error))?;
        // The memory begins at the outer corner of the frame's border, which is the frame's place.
        let area = Area {
            x: content.x - i32::from(place.x),
            y: content.y - i32::from(place.y),
            ..content
        };
        // Unless a compositor kept it drawn, the program draws now what was covered.
        let end = Instant::now() + DRAW_TIMEOUT;
        let mut pixels = self.image(pixmap.id, area)?;
        while Instant::now() < end {
            self.pause(DRAW_INTERVAL)?;
            let again = self.image(pixmap.id, area)?;
            if again == pixels {
                break;
            }
            pixels = again;
        }
        Ok(pixels)
    }

    fn image(&self, of: Drawable, area: Area) -> Result<Pixels, ToolError> {
        if u64::from(area.width) * u64::from(area.height) > MAX_PIXELS {
            return Err(self
                .error(
                    Code::TooLarge,
                    format!("{}×{} pixels are too many", area.width, area.height),
                )
                .hint("name a smaller `region`"));
        }
        let outside = || self.error(Code::InvalidParams, "the area is not on the screen");
        let (Ok(x), Ok(y)) = (i16::try_from(area.x), i16::try_from(area.y)) else {
            return Err(outside());
        };
        let (Ok(width), Ok(height)) = (u16::try_from(area.width), u16::try_from(area.height))
        else {
            return Err(outside());
        };
        let all_planes = u32::MAX;
        let image = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, of, x, y, width, height, all_planes)
            .map_err(|error| self.failed(error))?;
        let image = image.reply().map_err(|error| self.failed(error))?;
        self.pixels(&image, area)
    }

    /// The colors of an image, whose layout the server defines.
    fn pixels(&self, image: &GetImageReply, area: Area) -> Result<Pixels, ToolError> {
        let setup = self.connection.setup();
        let is_usual = setup.image_byte_order == ImageOrder::LSB_FIRST
            && matches!(image.depth, 24 | 32)
            && setup
                .pixmap_formats
                .iter()
                .any(|format| format.depth == image.depth && format.bits_per_pixel == 32);
        let count = area.width as usize * area.height as usize;
        if !is_usual || image.data.len() < count * 4 {
            return Err(self.error(
                Code::Unsupported,
                format!("this display has pixels of {} bits; 24 are supported", image.depth),
            ));
        }
        let mut rgb = vec![0; count * 3];
        for (to, from) in rgb.chunks_exact_mut(3).zip(image.data.chunks_exact(4)) {
            to.copy_from_slice(&[from[2], from[1], from[0]]);
        }
        Ok(Pixels { width: area.width, height: area.height, rgb })
    }
}

/// The memory that a window draws to, for as long as this lives.
struct Pixmap<'d, 'c> {
    display: &'d Display<'c>,
    window: Window,
    id: u32,
}

impl<'d, 'c> Pixmap<'d, 'c> {
    fn of(display: &'d Display<'c>, window: Window) -> Answer<Self> {
        let connection = &display.connection;
        // The version must be agreed on before any other request of the extension.
        connection.composite_query_version(0, 4)?.reply()?;
        connection.composite_redirect_window(window, Redirect::AUTOMATIC)?.check()?;
        let id = connection.generate_id()?;
        let pixmap = Self { display, window, id };
        connection.composite_name_window_pixmap(window, id)?.check()?;
        Ok(pixmap)
    }
}

impl Drop for Pixmap<'_, '_> {
    fn drop(&mut self) {
        let connection = &self.display.connection;
        // If this fails, the connection has ended, and the server has freed both.
        let _ = connection.free_pixmap(self.id);
        let _ = connection.composite_unredirect_window(self.window, Redirect::AUTOMATIC);
        let _ = connection.flush();
    }
}
