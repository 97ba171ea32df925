//! The harness of the black-box tests: fixtures, the server's real process, and an editor to match.
//!
//! A test writes its workspace as one string ([`Fixture`]), starts the built binary on it
//! ([`Server`]), and speaks the protocol a client speaks. The model editor ([`Behaviour`]) holds
//! the open buffers and answers `workspace/applyEdit` as a correct editor would, or as an awkward
//! one. Recorded conversations are replayed by [`transcript`].
//!
//! It knows nothing of the server's crates: what it cannot see from outside, it cannot test. It
//! fails by panicking, as tests do.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod acp_agent;
mod agent;
mod binary;
mod component;
mod containers;
mod databases;
mod desktop;
mod editor;
mod fixture;
mod kube_server;
mod person;
mod position;
mod server;
mod tool;
pub mod transcript;

pub use acp_agent::{define_agent, define_shell_agent};
pub use agent::Agent;
pub use binary::{Home, binary};
pub use component::{component, rust_formatters, skip};
pub use containers::ContainerDaemon;
pub use databases::{DATABASE_PASSWORD, DatabaseServer};
pub use desktop::{Desktop, wait_for};
pub use editor::Behaviour;
pub use fixture::{File, Fixture, Mark};
pub use kube_server::{KUBE_TOKEN, KubeServer, State as KubeState};
pub use person::{Questions, start_with_person, user_config};
pub use position::{Encoding, apply_edits, offset_at, position_at, range_of};
pub use server::{RESPONSE_TIMEOUT, Server, ServerBuilder, language_id};
pub use tool::ToolError;
