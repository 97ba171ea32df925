//! What a session offers, for `tandem doctor`.

use std::sync::atomic::AtomicBool;

use x11rb::connection::RequestConnection;
use x11rb::protocol::{composite, screensaver, xtest};

use crate::display::Display;
use crate::tesseract;

/// What the tools can do here.
///
/// # Errors
/// What is missing.
pub fn survey() -> Result<String, String> {
    let interrupt = AtomicBool::new(false);
    let display = Display::connect(&interrupt, "desktop").map_err(|error| error.message)?;
    let needed = [
        (xtest::X11_EXTENSION_NAME, "input"),
        (screensaver::X11_EXTENSION_NAME, "input"),
        (composite::X11_EXTENSION_NAME, "pictures of covered windows"),
    ];
    for (extension, what) in needed {
        if !matches!(display.connection.extension_information(extension), Ok(Some(_))) {
            return Err(format!("the display has no extension {extension}, so no {what}"));
        }
    }
    if tesseract::program().is_none() {
        return Err(
            "windows, pictures and input; `ocr` needs Tesseract (`apt install tesseract-ocr`)"
                .to_owned(),
        );
    }
    let (width, height) = display.size;
    Ok(format!("windows, pictures, input and text recognition on a screen of {width}×{height}"))
}
