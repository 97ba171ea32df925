//! The git bridge beside the `git` program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bombs;
mod differential;
mod interrupted;
mod made;
mod program;
mod watched;
