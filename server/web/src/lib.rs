//! Tools that use the network: `http_request`, `web_fetch`, `web_search`, `dns_lookup`, `port_check`.
//!
//! Start reading with [`client`]: names are looked up, policy decides on hosts and addresses, and connections
//! are made to the addresses that were checked, never to names. This crate does not know LSP, MCP, or the
//! languages of the workspace. It opens no files: the workspace's are read and written through `tools`, the
//! machine's by the one thread of [`system`].

mod address;
mod api;
mod body;
mod client;
mod connect;
mod dialer;
mod direct;
mod dns_lookup;
mod exchange;
mod failure;
mod http_request;
mod limits;
mod metrics_export;
mod page;
mod port_check;
mod request_body;
mod request_headers;
mod resolve;
mod result_text;
mod state;
mod system;
mod target;
#[cfg(test)]
mod tls_tests;
mod web_fetch;
mod web_search;

use std::any::TypeId;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

use crate::state::NetworkState;

pub use api::{ApiReply, ApiRequest, call_api};
pub use dialer::Dialer;
pub use direct::{checked_addresses, tls};
pub use result_text::{PAGE_CONTENT, push, push_marked, push_page, push_rest};
pub use target::{Endpoint, HostName, Target};

/// The family, for the binary. Starts the thread that reads the machine's network settings, so it must be
/// called before any thread is confined.
#[must_use]
pub fn family() -> Family {
    system::start();
    Family { feature: Some("web"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<http_request::HttpRequest>(),
        Entry::new::<port_check::PortCheck>(),
        Entry::new::<dns_lookup::DnsLookup>(),
        Entry::new::<web_fetch::WebFetch>(),
        Entry::new::<web_search::WebSearch>(),
    ]
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<NetworkState>(), Box::<NetworkState>::default());
}
