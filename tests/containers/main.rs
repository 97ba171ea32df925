//! Containers: a real Docker daemon, and sockets that break its protocol.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#![allow(clippy::print_stderr, reason = "the approvals for the docs")]

mod approvals;
mod build;
mod hostile;
mod logs;
mod mounts;
mod run;
mod session;
