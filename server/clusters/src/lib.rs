//! Kubernetes clusters: `kube_get`, `kube_diff`, `kube_apply`, `kube_rollout`, `kube_logs`.
//!
//! Start reading with [`planned`]: the server itself says by a dry run what an apply would change, a person approves
//! that, and the apply holds only for the versions that were shown. [`kubeconfig`] is read by a thread of its own, and
//! [`connection`] makes the requests. This crate does not know LSP, MCP or languages; it runs no program.

mod access;
mod api;
mod connection;
mod discovery;
mod failure;
mod field_diff;
mod kube_apply;
mod kube_diff;
mod kube_get;
mod kube_logs;
mod kube_rollout;
mod kubeconfig;
mod limits;
mod manifest;
mod object;
mod planned;
mod redaction;
mod resource_type;
mod rollout;
mod selection;
mod yaml;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

/// The family, for the binary. Starts the thread that reads kubeconfig files, so it must be called before any thread is
/// confined.
#[must_use]
pub fn family() -> Family {
    access::start();
    Family { feature: Some("clusters"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<kube_get::KubeGet>(),
        Entry::new::<kube_diff::KubeDiff>(),
        Entry::new::<kube_apply::KubeApply>(),
        Entry::new::<kube_rollout::KubeRollout>(),
        Entry::new::<kube_logs::KubeLogs>(),
    ]
}

fn states(_: &Snapshot, _: &mut FamilyStates) {}
