//! Containers: a real Docker daemon, and sockets that break its protocol.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod approvals;
mod build;
mod hostile;
mod logs;
mod mounts;
mod run;
mod session;
