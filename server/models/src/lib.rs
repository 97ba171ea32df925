//! Tools that use language models: `ml_generate`, `ml_complete`, `ml_score`, `ml_probe`, `ml_status`,
//! `ml_backends`, `list_llm_models`, `embed`.
//!
//! Start reading with [`backend`]: the servers that the person's settings name, and what they answer.
//! [`answer`] reads what a model streams; [`session`] counts what a session spends. All requests go through
//! `web`, which lets policy decide on hosts and addresses. This crate does not know LSP, MCP, or the languages
//! of the workspace, and opens no files.

mod answer;
mod backend;
mod category;
mod chat;
mod embed;
mod embedding_request;
mod events;
mod heuristic;
mod influx;
mod judge;
mod limits;
mod list_llm_models;
mod ml_backends;
mod ml_complete;
mod ml_generate;
mod ml_probe;
mod ml_score;
mod ml_status;
mod model_list;
mod probes;
mod redaction;
mod run_log;
mod session;

use std::any::TypeId;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

use crate::session::ModelSession;

/// The family, for the binary. It needs the family of `web`, which reads the machine's network settings.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("models"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<ml_generate::MlGenerate>(),
        Entry::new::<ml_complete::MlComplete>(),
        Entry::new::<ml_score::MlScore>(),
        Entry::new::<ml_probe::MlProbe>(),
        Entry::new::<ml_status::MlStatus>(),
        Entry::new::<ml_backends::MlBackends>(),
        Entry::new::<list_llm_models::ListLlmModels>(),
        Entry::new::<embed::Embed>(),
    ]
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<ModelSession>(), Box::<ModelSession>::default());
}
