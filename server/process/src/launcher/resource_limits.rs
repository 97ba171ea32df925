//! Resource limits of a command's processes, by `setrlimit`.

#![allow(unsafe_code, reason = "it has its own proof")]

use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit};

use crate::plan::Plan;
use crate::{AppliedLimit, LimitMechanism, LimitedResource};

/// What the program gets between the signal that its processor time is over, and being killed, in
/// seconds.
const CPU_GRACE_SECONDS: u64 = 1;

/// Makes `command` set its limits before it is executed, and returns them with those already in
/// force: `counted` is that of the PID namespace.
pub(super) fn apply(command: &mut Command, plan: &Plan, counted: Option<u32>) -> Vec<AppliedLimit> {
    let mut applied = Vec::new();
    let mut limits = Vec::new();
    let mut each = |kind, resource, value, grace, per_process| {
        limits.push((kind, value, grace));
        let mechanism = LimitMechanism::Rlimit;
        applied.push(AppliedLimit { resource, value, mechanism, per_process });
    };
    if let Some(seconds) = plan.limits.cpu_seconds {
        each(Resource::Cpu, LimitedResource::CpuSeconds, seconds, CPU_GRACE_SECONDS, true);
    }
    if let Some(bytes) = plan.limits.memory_bytes {
        // Not the address space: runtimes reserve far more of it than they use.
        each(Resource::Data, LimitedResource::MemoryBytes, bytes, 0, true);
    }
    // The kernel counts a user's processes in each user namespace, except those of root.
    if counted.is_none() && plan.in_namespaces && !geteuid().is_root() {
        let most = plan.limits.processes.into();
        each(Resource::Nproc, LimitedResource::Processes, most, 0, false);
    }
    applied.extend(counted.map(|most| AppliedLimit {
        resource: LimitedResource::Processes,
        value: most.into(),
        mechanism: LimitMechanism::PidNamespace,
        per_process: false,
    }));
    if !limits.is_empty() {
        let limit = move || {
            for (resource, value, grace) in &limits {
                let most = getrlimit(*resource).maximum.unwrap_or(u64::MAX);
                let current = Some(most.min(*value));
                let maximum = Some(most.min(value.saturating_add(*grace)));
                setrlimit(*resource, Rlimit { current, maximum })?;
            }
            Ok(())
        };
        // SAFETY: between `fork` and `exec` it makes system calls on what was made before.
        unsafe { command.pre_exec(limit) };
    }
    applied
}
