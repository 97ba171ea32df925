//! The protocol, subject by subject, over the real binary.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod apply_edit_disk;
mod apply_edit_kept;
mod apply_edit_open;
mod apply_edit_text;
mod ask;
mod attacks;
mod audit;
mod cancellation;
mod cli;
mod containment;
mod crash;
mod definition;
mod definition_across;
mod diagnostics;
mod documents;
mod editor_change;
mod editor_random;
mod editor_show;
mod editor_state;
mod entries;
mod files;
mod framing;
mod highlight;
mod history;
mod hover;
mod leave;
mod lifecycle;
mod list;
mod messages;
mod names_tools;
mod policy;
mod questions;
mod random_edits;
mod read_file;
mod references;
mod rename;
mod run_command;
mod run_command_guarded;
mod search;
mod symbols;
mod tools;
mod transcripts;
mod transports;
mod workspace_symbol;
