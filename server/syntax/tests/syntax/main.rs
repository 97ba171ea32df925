//! What `queries/` say of each language, on small texts.

#![allow(clippy::unwrap_used)]

mod bash;
mod c;
mod cpp;
mod css;
mod differential;
mod go;
mod hostile;
mod html;
mod incremental;
mod java;
mod javascript;
mod json;
mod look;
mod markdown;
mod nix;
mod ocaml;
mod ocaml_interface;
mod php;
mod proto;
mod python;
mod regex;
mod ruby;
mod rust;
mod scala;
mod sql;
mod swift;
mod toml;
mod typescript;
mod xml;
mod yaml;
mod zig;
