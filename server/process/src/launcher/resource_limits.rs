//! Resource limits of a command's processes, by `setrlimit` and control groups.

#![allow(unsafe_code, reason = "it has its own proof")]

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit};

use super::control_group::ControlGroups;
use crate::plan::Plan;
use crate::{AppliedLimit, LimitMechanism, LimitedResource};

/// What the program gets between the signal that its processor time is over, and being killed, in
/// seconds.
const CPU_GRACE_SECONDS: u64 = 1;

/// The limits of a command, before it is started.
pub(super) struct ResourceLimits {
    applied: Vec<AppliedLimit>,
    /// Kind, value, and what is added to it for the hard limit.
    limits: Vec<(Resource, u64, u64)>,
    /// Files of the control groups to enter.
    groups: Vec<File>,
}

impl ResourceLimits {
    /// `counted` is the limit of the PID namespace, which is in force already.
    pub(super) fn new(
        plan: &Plan,
        groups: &ControlGroups,
        counted: Option<u32>,
    ) -> std::io::Result<Self> {
        let mut limits = Vec::new();
        let mut applied = Vec::new();
        let mut report = |resource, value, mechanism, per_process| {
            applied.push(AppliedLimit { resource, value, mechanism, per_process });
        };
        if let Some(seconds) = plan.limits.cpu_seconds {
            limits.push((Resource::Cpu, seconds, CPU_GRACE_SECONDS));
            report(LimitedResource::CpuSeconds, seconds, LimitMechanism::Rlimit, true);
        }
        if let Some(percent) = plan.limits.cpu_percent.filter(|_| groups.limited.cpu) {
            report(LimitedResource::CpuPercent, percent.into(), LimitMechanism::Cgroup, false);
        }
        if let Some(bytes) = plan.limits.memory_bytes {
            if groups.limited.memory {
                report(LimitedResource::MemoryBytes, bytes, LimitMechanism::Cgroup, false);
            }
            // Not the address space: runtimes reserve far more of it than they use. Beside a control
            // group, too: a program can handle an allocation that fails, but not being killed.
            limits.push((Resource::Data, bytes, 0));
            report(LimitedResource::MemoryBytes, bytes, LimitMechanism::Rlimit, true);
        }
        let most = plan.limits.processes.into();
        if groups.limited.processes {
            report(LimitedResource::Processes, most, LimitMechanism::Cgroup, false);
        } else if let Some(most) = counted {
            let mechanism = LimitMechanism::PidNamespace;
            report(LimitedResource::Processes, most.into(), mechanism, false);
        } else if plan.in_namespaces && !geteuid().is_root() {
            // The kernel counts a user's processes in each user namespace, except those of root.
            limits.push((Resource::Nproc, most, 0));
            report(LimitedResource::Processes, most, LimitMechanism::Rlimit, false);
        }
        Ok(Self { applied, limits, groups: groups.members()? })
    }

    /// Makes `command` limit itself before it is executed, and returns the limits.
    pub(super) fn apply(self, command: &mut Command) -> Vec<AppliedLimit> {
        let Self { applied, limits, groups } = self;
        if limits.is_empty() && groups.is_empty() {
            return applied;
        }
        let limit = move || {
            ControlGroups::enter(&groups)?;
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
        applied
    }
}
