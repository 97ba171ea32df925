//! The desktop's tools, on a screen of the tests with a window manager and real programs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clipboard;
mod elements;
mod hostile;
mod input;
mod pictures;
mod portal;
mod session;
mod stop_key;
mod unavailable;
mod waiting;
mod windows;
