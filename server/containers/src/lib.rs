//! Containers: `docker_build`, `docker_run`, `docker_ps`, `docker_logs`, `docker_exec`, `docker_stop` and
//! `docker_images`, by the API of Docker or Podman.
//!
//! Start reading with [`run_plan`]: a call is turned into the request that the daemon gets, and policy decides on what
//! is in it. [`client`] makes the requests. This crate does not know LSP, MCP or languages. It opens no file but those
//! of a build's context, through the workspace.

mod access;
mod build_context;
mod build_progress;
mod client;
mod container;
mod daemon;
mod devices;
mod docker_build;
mod docker_exec;
mod docker_images;
mod docker_logs;
mod docker_ps;
mod docker_run;
mod docker_stop;
mod dockerfile;
mod dockerignore;
mod effects;
mod failure;
mod frames;
mod image;
mod labels;
mod limits;
mod logs;
mod mounts;
mod output;
mod parameters;
mod ports;
mod pull;
mod ready;
mod result_text;
mod run_params;
mod run_plan;
mod started;
mod tar;

use std::any::TypeId;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

use crate::started::StartedContainers;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("containers"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<docker_build::DockerBuild>(),
        Entry::new::<docker_run::DockerRun>(),
        Entry::new::<docker_ps::DockerPs>(),
        Entry::new::<docker_logs::DockerLogs>(),
        Entry::new::<docker_exec::DockerExec>(),
        Entry::new::<docker_stop::DockerStop>(),
        Entry::new::<docker_images::DockerImages>(),
    ]
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<StartedContainers>(), Box::<StartedContainers>::default());
}
