//! Infrastructure and clusters: real Terraform, and a server that speaks the API of Kubernetes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod apply_cluster;
mod hostile_cluster;
mod kubectl;
mod look_at_cluster;
mod session;
mod terraform;
mod terraform_changes;
