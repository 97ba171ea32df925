//! What `queries/` say of each language, on small texts.

#![allow(clippy::unwrap_used)]

mod c;
mod cpp;
mod differential;
mod go;
mod incremental;
mod java;
mod javascript;
mod look;
mod php;
mod python;
mod regex;
mod ruby;
mod rust;
mod toml;
mod typescript;
mod yaml;
