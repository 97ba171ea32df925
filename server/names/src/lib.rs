//! Names: what a file's text says about them, an index over many files, and where a name is
//! defined and used.
//!
//! This crate knows nothing of disks, editors, protocols, threads or time: parsed texts go in,
//! places come out. What a language's syntax means for names is data, in
//! `queries/<language>/bindings.scm`; the walk that reads it knows no language.

#![allow(clippy::cast_possible_truncation)] // Texts are shorter than 2^30 bytes; see `Walk::run`.

mod expression;
mod facts;
mod index;
mod library;
mod origin;
mod project;
mod resolve;
mod rules;
mod strings;
mod vocabulary;
mod walk;

pub use facts::{Definition, Facts, NameAt};
pub use index::{Counts, FileId, Index};
pub use origin::{Origin, Target};
pub use vocabulary::DefinitionKind;
