//! What the machine is, and how busy it is.

use std::path::Path;

use sysinfo::{CpuRefreshKind, DiskRefreshKind, Disks, MemoryRefreshKind, RefreshKind, System};

/// The machine at a moment. Sizes are in bytes.
#[derive(Debug, Clone, Default)]
pub struct MachineFacts {
    /// The system's name and version, such as `Debian GNU/Linux 13`.
    pub system: String,
    /// The version of the kernel.
    pub kernel: String,
    /// The processor's architecture.
    pub architecture: String,
    /// The machine's name.
    pub host_name: String,
    /// The processor's model.
    pub processor: String,
    /// Number of logical processors.
    pub processors: usize,
    /// Average number of processes that run or wait, over 1, 5 and 15 minutes.
    pub load: [f64; 3],
    /// Memory.
    pub memory_total: u64,
    /// Memory that programs can still get.
    pub memory_available: u64,
    /// Swap space.
    pub swap_total: u64,
    /// Swap space in use.
    pub swap_used: u64,
    /// The file system of the folder that was asked about.
    pub disk: Option<DiskSpace>,
    /// Seconds since the start.
    pub uptime: u64,
}

/// Space of a file system, in bytes.
#[derive(Debug, Clone, Default)]
pub struct DiskSpace {
    /// Where it is mounted.
    pub mounted_on: String,
    /// Its size.
    pub total: u64,
    /// What the user can still write.
    pub available: u64,
}

impl MachineFacts {
    /// Reads them; `folder` chooses the file system.
    #[must_use]
    pub fn read(folder: &Path) -> Self {
        let kinds = RefreshKind::nothing()
            .with_memory(MemoryRefreshKind::everything())
            .with_cpu(CpuRefreshKind::nothing());
        let system = System::new_with_specifics(kinds);
        let load = System::load_average();
        Self {
            system: System::long_os_version().unwrap_or_default(),
            kernel: System::kernel_version().unwrap_or_default(),
            architecture: System::cpu_arch(),
            host_name: System::host_name().unwrap_or_default(),
            processor: system.cpus().first().map(|cpu| cpu.brand().to_owned()).unwrap_or_default(),
            processors: system.cpus().len(),
            load: [load.one, load.five, load.fifteen],
            memory_total: system.total_memory(),
            memory_available: system.available_memory(),
            swap_total: system.total_swap(),
            swap_used: system.used_swap(),
            disk: disk(folder),
            uptime: System::uptime(),
        }
    }
}

/// The file system with the longest mount point above `folder`.
fn disk(folder: &Path) -> Option<DiskSpace> {
    let disks = Disks::new_with_refreshed_list_specifics(DiskRefreshKind::nothing().with_storage());
    let above = disks.list().iter().filter(|disk| folder.starts_with(disk.mount_point()));
    let disk = above.max_by_key(|disk| disk.mount_point().as_os_str().len())?;
    Some(DiskSpace {
        mounted_on: disk.mount_point().to_string_lossy().into_owned(),
        total: disk.total_space(),
        available: disk.available_space(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_processors_memory_and_a_disk() {
        let facts = MachineFacts::read(Path::new("/"));
        assert!(facts.processors > 0 && facts.uptime > 0, "{facts:?}");
        assert!(facts.memory_available > 0 && facts.memory_available <= facts.memory_total);
        let disk = facts.disk.unwrap();
        assert!(disk.total >= disk.available && disk.total > 0, "{disk:?}");
    }
}
