//! The desktop for agents: windows, pictures of the screen, keyboard and mouse.
//!
//! Start with [`display`]: each call has a connection of its own to the X server, on which no wait is longer
//! than the call may take. [`windows`] finds the programs' windows, [`capture`] takes pictures of them.
//! [`input`] sends keys and clicks to the window that they are meant for, or nothing at all; [`keyboard`] types
//! what the layout lacks. By the [`stop_key`] the person ends all of it. Pictures come from any [`image_source`]; [`tesseract`] reads text in them.
//! [`accessibility`] has what programs report of their elements; [`contours`] guesses them from a picture.
//! This crate does not know LSP, MCP, or the languages of the workspace.

mod accessibility;
mod approval;
mod capture;
mod clipboard_read;
mod clipboard_write;
mod compare_images;
mod contours;
mod decode;
mod detect_elements;
mod difference;
mod display;
mod element_act;
mod focus_window;
mod image_source;
mod input;
mod key_press;
mod keyboard;
mod keysyms;
mod limits;
mod list_windows;
mod mouse;
mod mouse_act;
mod mouse_click;
mod ocr;
mod ocr_input;
mod picture_file;
mod pixels;
mod portal;
mod screenshot;
mod selection;
mod stop_key;
mod stream;
mod survey;
mod tesseract;
mod text;
mod text_block;
mod text_insert;
mod thread_rest;
mod visible_elements;
mod wait_for_screen;
mod windows;

use tools::{Entry, Family};

pub use crate::survey::survey;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("desktop"), tools, states: |_, _| {} }
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<list_windows::ListWindows>(),
        Entry::new::<focus_window::FocusWindow>(),
        Entry::new::<screenshot::Screenshot>(),
        Entry::new::<key_press::KeyPress>(),
        Entry::new::<text_insert::TextInsert>(),
        Entry::new::<mouse_click::MouseClick>(),
        Entry::new::<mouse_act::MouseAct>(),
        Entry::new::<ocr::Ocr>(),
        Entry::new::<compare_images::CompareImages>(),
        Entry::new::<detect_elements::DetectElements>(),
        Entry::new::<element_act::ElementAct>(),
        Entry::new::<wait_for_screen::WaitForScreen>(),
        Entry::new::<clipboard_read::ClipboardRead>(),
        Entry::new::<clipboard_write::ClipboardWrite>(),
    ]
}
