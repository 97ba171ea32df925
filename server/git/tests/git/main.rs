//! Tests that compare this crate with the `git` program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bombs;
mod cancellation;
mod differential;
mod random_repository;
mod status_cache;
mod test_repo;
