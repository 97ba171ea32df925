//! Attacks on the workspace's border: every tool that takes a path, times every hostile path, and
//! races.
//!
//! Tools are discovered from their schemas, so a new one is attacked as soon as it is registered,
//! and fails here until [`samples`] says how it is called. The outcome is held against the
//! contract: nothing outside is changed, no byte of a secret outside is told, the answer comes at
//! once with a code of the contract, and the server goes on.
//!
//! `cargo xtask attack --seconds N` runs the races for longer and prints the figures.

#![allow(clippy::print_stdout, reason = "the figures are printed for the reader")]

mod bombs;
mod discovery;
mod launchers;
mod paths;
mod races;
mod samples;
mod sandboxes;
mod stage;
mod table;

pub(crate) use races::is_attack_run;
