//! What this process uses of the machine.

/// Memory and threads of this process; zero where the system does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnUsage {
    /// Resident memory, in bytes.
    pub memory_bytes: u64,
    /// Its threads.
    pub threads: u64,
}

/// Reads it.
#[must_use]
pub fn own_usage() -> OwnUsage {
    std::fs::read_to_string("/proc/self/status").map(|text| parse(&text)).unwrap_or_default()
}

fn parse(status: &str) -> OwnUsage {
    let number = |name: &str| {
        let rest = status.lines().find_map(|line| line.strip_prefix(name));
        rest.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    };
    OwnUsage { memory_bytes: number("VmRSS:") * 1024, threads: number("Threads:") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_read() {
        let text = "Name:\ttandem\nVmRSS:\t   2048 kB\nThreads:\t3\n";
        assert_eq!(parse(text), OwnUsage { memory_bytes: 2 << 20, threads: 3 });
        assert_eq!(parse("VmRSS: x\n"), OwnUsage::default());
        assert!(own_usage().memory_bytes > 0);
    }
}
