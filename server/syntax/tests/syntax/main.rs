//! What `queries/` say of each language, on small texts.

#![allow(clippy::unwrap_used)]

mod actions;
mod bash;
mod c;
mod cpp;
mod csharp;
mod css;
mod differential;
mod dockerfile;
mod elixir;
mod errors;
mod go;
mod graphql;
mod haskell;
mod hostile;
mod html;
mod incremental;
mod indents;
mod java;
mod javascript;
mod json;
mod kotlin;
mod look;
mod lua;
mod make;
mod markdown;
mod nix;
mod ocaml;
mod ocaml_interface;
mod php;
mod proto;
mod python;
mod real;
mod regex;
mod ruby;
mod rust;
mod scala;
mod scss;
mod sql;
mod swift;
mod toml;
mod typescript;
mod xml;
mod yaml;
mod zig;
