//! A browser for agents: `navigate`, `click`, `fill`, `browser_snapshot` and others.
//!
//! Start with [`browser`]: Chromium runs in the sandbox of commands ([`launch`]), and reaches the network only
//! through a SOCKS server here, which lets policy decide on each host ([`socks`], [`gate`]). Its events keep the
//! [`page`]s up to date; a [`call`] acts on one. What runs inside of pages is `script.js`. This crate does not
//! know LSP, MCP, or the languages of the workspace.

mod act;
mod browser;
mod call;
mod click;
mod connect;
mod console;
mod dialog;
mod effects;
mod emulate;
mod evaluate;
mod events;
mod failure;
mod fill;
mod gate;
mod keys;
mod launch;
mod limits;
mod mouse;
mod navigate;
mod network;
mod page;
mod query_selector;
mod report;
mod screenshot;
mod snapshot;
mod snapshots;
mod socks;
mod tabs;
mod target;
mod wait;

use std::any::TypeId;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

use crate::browser::BrowserState;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("browser"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<navigate::Navigate>(),
        Entry::new::<snapshot::BrowserSnapshot>(),
        Entry::new::<click::Click>(),
        Entry::new::<fill::Fill>(),
        Entry::new::<act::BrowserAct>(),
        Entry::new::<dialog::BrowserDialog>(),
        Entry::new::<query_selector::QuerySelector>(),
        Entry::new::<screenshot::BrowserScreenshot>(),
        Entry::new::<evaluate::BrowserEvaluate>(),
        Entry::new::<console::BrowserConsole>(),
        Entry::new::<network::BrowserNetwork>(),
        Entry::new::<wait::BrowserWait>(),
        Entry::new::<tabs::BrowserTabs>(),
        Entry::new::<emulate::BrowserEmulate>(),
        Entry::new::<connect::BrowserConnect>(),
        Entry::new::<connect::BrowserClose>(),
    ]
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<BrowserState>(), Box::<BrowserState>::default());
}
