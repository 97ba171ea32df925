//! What `queries/` say of each language, on small texts.

#![allow(clippy::unwrap_used)]

mod look;
mod toml;
mod yaml;
