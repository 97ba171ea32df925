//! Real debug adapters on real programs, through the real server's tools, and one adapter that is
//! bad in every way that one can be.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad;
mod debuggee;
mod go;
mod launches;
mod native;
mod python;
mod python_looks;
