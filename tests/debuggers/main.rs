//! Real debug adapters on real programs, through the real server's tools, and one adapter that is
//! bad in every way that one can be.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bash;
mod dap_server;
mod debuggee;
mod faulty_adapter;
mod from_a_shell;
mod gdb;
mod go;
mod hostile;
mod in_a_terminal;
mod in_the_editor;
mod launch_kinds;
mod native;
mod node;
mod python;
mod python_children;
mod python_inspection;
mod table;
mod terminal;
mod two_servers;
