//! The dashboard: a page for the person, with what agents do, what they wait for and what they changed. Tool:
//! `dashboard_start`; the command `tandem dashboard` calls it and prints the address.
//!
//! Start reading with [`server`], which listens on the loopback interface, [`gate`], which decides who may ask,
//! and [`routes`], which answers. What the page shows as it happens is a stream of [`events`]; the rest, and what
//! it changes, are tool calls, each checked and recorded like any other. The page itself is in `page/`, built by
//! Vite and embedded ([`page`]).
//!
//! This crate knows neither LSP nor MCP, and opens no files.

mod calls;
mod dashboard_start;
mod events;
mod gate;
mod limits;
mod page;
mod routes;
mod server;
mod shared;

use std::any::TypeId;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

use crate::server::DashboardState;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("dashboard"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![Entry::new::<dashboard_start::DashboardStart>()]
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<DashboardState>(), Box::<DashboardState>::default());
}
