//! The WebSocket hub: live output of processes, and tool calls as they run, for programs of the person such
//! as a dashboard. Tools: `ws_start`, `ws_info`.
//!
//! Start reading with [`hub`], which listens on the loopback interface, [`gate`], which decides who may
//! connect, and [`client`], which serves one connection. Nothing waits for a client: output is read from the
//! ring that every process has anyway, other events go through a queue with limits, and a client that takes
//! nothing for some seconds is disconnected.
//!
//! This crate knows neither LSP nor MCP, and opens no files.

mod client;
pub mod connections;
mod event_queue;
mod gate;
mod hub;
mod limits;
pub mod loopback;
mod messages;
mod output;
mod shared;
mod subscriptions;
mod ws_info;
mod ws_start;

use std::any::TypeId;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

use crate::hub::HubState;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("hub"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![Entry::new::<ws_start::WsStart>(), Entry::new::<ws_info::WsInfo>()]
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<HubState>(), Box::<HubState>::default());
}
