//! What `queries/` say of each language, on small texts.

#![allow(clippy::unwrap_used)]

mod look;
mod php;
mod ruby;
mod toml;
mod yaml;
