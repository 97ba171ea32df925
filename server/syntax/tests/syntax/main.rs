//! What `queries/` say of each language, on small texts.

#![allow(clippy::unwrap_used)]

mod bash;
mod c;
mod cpp;
mod css;
mod differential;
mod go;
mod html;
mod incremental;
mod java;
mod javascript;
mod json;
mod look;
mod markdown;
mod php;
mod python;
mod regex;
mod ruby;
mod rust;
mod toml;
mod typescript;
mod yaml;
