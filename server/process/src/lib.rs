//! Child processes that cannot outlive, outgrow or escape what they were started for.
//!
//! It knows nothing of workspaces, tools or protocols.
