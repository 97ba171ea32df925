//! Refuses dangerous system calls, by seccomp.

use std::collections::BTreeMap;

use libc::{
    AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, CLONE_NEWCGROUP, CLONE_NEWIPC, CLONE_NEWNET,
    CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWUTS,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use crate::NetworkIsolation;
use crate::plan::Refusal;

/// Refused whatever their arguments: calls that change the machine, mounts or namespaces, that
/// access other processes or the keyring, and large attack surfaces of the kernel.
const REFUSED_CALLS: &[libc::c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pivot_root,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Refused unless the command may trace.
const TRACING_CALLS: &[libc::c_long] = &[
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
];

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE_SPECIFIC: &[libc::c_long] = &[libc::SYS_ioperm, libc::SYS_iopl];
#[cfg(not(target_arch = "x86_64"))]
const ARCHITECTURE_SPECIFIC: &[libc::c_long] = &[];

/// Calls that set a file's mode, and the index of that argument.
const MODE_CALLS: &[(libc::c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_mknodat, 2),
    (libc::SYS_openat, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 2),
];

/// Refused with `ENOSYS`, so that programs fall back to an older call whose arguments a filter can
/// inspect.
const EMULATED_AS_UNKNOWN: &[libc::c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_openat2,
];

/// System call numbers of x86-64's x32 ABI start here.
const X32_FIRST: u32 = 0x4000_0000;

const NAMESPACE_FLAGS: &[libc::c_int] = &[
    CLONE_NEWCGROUP,
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
];

/// Installs the filters. `unix` says whether Unix sockets are allowed. The filter against tracing
/// is [`tracing_filter`].
pub(super) fn filter(network: NetworkIsolation, unix: bool) -> Result<(), Refusal> {
    for program in programs(network, unix).map_err(|e| seccomp_error(e.to_string()))? {
        apply_filter(&program).map_err(|e| seccomp_error(e.to_string()))?;
    }
    Ok(())
}

fn seccomp_error(error: String) -> Refusal {
    Refusal::Unavailable(format!("seccomp: {error}"))
}

/// The filter that refuses access to other processes. The launcher itself needs that access.
pub(super) fn tracing_filter() -> Result<BpfProgram, Refusal> {
    let rules = TRACING_CALLS.iter().map(|call| (*call, Vec::new())).collect();
    compile(rules, libc::EPERM).map_err(|e| seccomp_error(e.to_string()))
}

fn compile(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    errno: libc::c_int,
) -> Result<BpfProgram, seccompiler::Error> {
    let architecture: TargetArch = std::env::consts::ARCH.try_into()?;
    let (allow, refuse) = (SeccompAction::Allow, SeccompAction::Errno(errno.unsigned_abs()));
    Ok(SeccompFilter::new(rules, allow, refuse, architecture)?.try_into()?)
}

fn programs(network: NetworkIsolation, unix: bool) -> Result<[BpfProgram; 3], seccompiler::Error> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in REFUSED_CALLS.iter().chain(ARCHITECTURE_SPECIFIC) {
        rules.insert(*call, Vec::new());
    }
    let mut namespaces = Vec::new();
    for flag in NAMESPACE_FLAGS {
        let flag = u64::from(flag.unsigned_abs());
        namespaces.push(rule(&[(0, SeccompCmpOp::MaskedEq(flag), flag)])?);
    }
    rules.insert(libc::SYS_clone, namespaces);

    // Injecting input into the controlling terminal.
    let mut terminal_requests = Vec::new();
    for request in [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSCTTY] {
        terminal_requests.push(rule(&[(1, SeccompCmpOp::Eq, request)])?);
    }
    rules.insert(libc::SYS_ioctl, terminal_requests);

    let mut families = Vec::new();
    if unix {
        families.push(AF_UNIX);
    }
    if network != NetworkIsolation::NoSockets {
        families.extend([AF_INET, AF_INET6, AF_NETLINK]);
    }
    let other: Vec<_> = families
        .iter()
        .map(|family| (0, SeccompCmpOp::Ne, u64::from(family.unsigned_abs())))
        .collect();
    let mut sockets = if other.is_empty() { Vec::new() } else { vec![rule(&other)?] };
    let mut pairs = Vec::new();
    if unix {
        // Datagrams need no connection, which `connections` would check; raw Unix sockets are
        // datagrams.
        for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
            let kind = u64::from(kind.unsigned_abs());
            let conditions = [
                (0, SeccompCmpOp::Eq, u64::from(AF_UNIX.unsigned_abs())),
                (1, SeccompCmpOp::MaskedEq(0xf), kind),
            ];
            sockets.push(rule(&conditions)?);
            pairs.push(rule(&conditions)?);
        }
        rules.insert(libc::SYS_socketpair, pairs);
    }
    rules.insert(libc::SYS_socket, sockets);

    // A setuid file would give everybody on the machine its owner's rights.
    for (call, argument) in MODE_CALLS {
        let bit = |bit: u32| rule(&[(*argument, SeccompCmpOp::MaskedEq(bit.into()), bit.into())]);
        rules.insert(*call, vec![bit(libc::S_ISUID)?, bit(libc::S_ISGID)?]);
    }

    let unknown = EMULATED_AS_UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    Ok([compile(rules, libc::EPERM)?, compile(unknown, libc::ENOSYS)?, without_x32()])
}

/// A rule whose conditions must all hold, each on 32 bits of an argument.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let conditions: Result<Vec<_>, _> = conditions
        .iter()
        .map(|(argument, operator, value)| {
            SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
        })
        .collect();
    SeccompRule::new(conditions?)
}

/// Refuses the x32 call numbers, which the other filters do not cover.
fn without_x32() -> BpfProgram {
    const LOAD: u16 = 0x20;
    const IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let unknown = u32::from(SeccompAction::Errno(libc::ENOSYS as u32));
    let allow = u32::from(SeccompAction::Allow);
    vec![
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: IF_AT_LEAST, jt: 0, jf: 1, k: X32_FIRST },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: unknown },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: allow },
    ]
}
