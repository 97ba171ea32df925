//! Control groups: limits for all processes of a command together.
//!
//! A command gets a group of its own where the server may make one: in a version 1 hierarchy that it can
//! write to, or in version 2 beside its own group or further up, where the controllers are on and the
//! folder is the user's (as below a systemd user manager). Everywhere else there are none, and
//! `setrlimit` limits each process for itself.
//!
//! The outer launcher makes the group before it enters namespaces, holds a lock on it, and removes it at the end.
//! The command enters it between `fork` and `exec`, so the launcher counts for nothing in it. A launcher that was
//! killed leaves an empty folder, which the next one removes, as nobody holds its lock.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use rustix::process::{WaitOptions, waitpid};

use super::{NAME_PREFIX, raw, unused_name};
use crate::Limits;

/// Period in which processor time is counted, in microseconds.
const PERIOD: u64 = 100_000;
/// Groups further up that are tried in version 2.
const MAX_PARENTS: usize = 4;
/// How often a group is removed until the kernel has forgotten its last process.
const REMOVALS: usize = 50;
const REMOVAL_PAUSE: Duration = Duration::from_millis(2);

/// The groups that a command will be in: one, or one a controller with version 1.
#[derive(Debug, Default)]
pub(super) struct ControlGroups {
    folders: Vec<GroupFolder>,
    pub(super) limited: Limited,
}

/// What the groups limit.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limited {
    pub(super) memory: bool,
    pub(super) processes: bool,
    pub(super) cpu: bool,
}

/// A group, removed on drop.
#[derive(Debug)]
struct GroupFolder {
    path: PathBuf,
    /// `cgroup.procs`, opened with the rights of the server.
    members: File,
    /// The folder. Its lock shows other launchers that the group is in use.
    _lock: File,
}

/// A value for a file of a controller.
struct Setting {
    controller: &'static str,
    /// Its file in version 1 and 2.
    files: [&'static str; 2],
    /// Its value in version 1 and 2.
    values: [String; 2],
    /// Whether the limit is none without it.
    is_needed: bool,
}

impl ControlGroups {
    /// Makes groups for what `limits` name; what cannot be had is not [`limited`](Self::limited).
    pub(super) fn make(limits: &Limits) -> Self {
        let mut groups = Self::default();
        let settings = settings(limits);
        if settings.is_empty() {
            return groups;
        }
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
        for Place { version, parents, controllers } in places(&own, &hierarchies(&mounts)) {
            let settings: Vec<&Setting> =
                settings.iter().filter(|it| controllers.contains(&it.controller)).collect();
            let made = GroupFolder::make(version, &parents, &settings);
            let Some((folder, limited)) = made else { continue };
            groups.folders.push(folder);
            groups.limited.memory |= limited.contains(&"memory");
            groups.limited.processes |= limited.contains(&"pids");
            groups.limited.cpu |= limited.contains(&"cpu");
        }
        groups
    }

    /// Moves the calling process into the groups. It makes system calls only, so it can run
    /// between `fork` and `exec`.
    pub(super) fn enter(members: &[File]) -> std::io::Result<()> {
        members.iter().try_for_each(|mut members| members.write_all(b"0"))
    }

    /// The files for [`enter`](Self::enter).
    pub(super) fn members(&self) -> std::io::Result<Vec<File>> {
        self.folders.iter().map(|folder| folder.members.try_clone()).collect()
    }
}

fn settings(limits: &Limits) -> Vec<Setting> {
    let setting =
        |controller, files, values, is_needed| Setting { controller, files, values, is_needed };
    let mut settings = Vec::new();
    if let Some(bytes) = limits.memory_bytes {
        let value = bytes.to_string();
        let files = ["memory.limit_in_bytes", "memory.max"];
        settings.push(setting("memory", files, [value.clone(), value.clone()], true));
        // Memory and swap in version 1, swap alone in 2. Kernels without swap have neither.
        let files = ["memory.memsw.limit_in_bytes", "memory.swap.max"];
        settings.push(setting("memory", files, [value, "0".to_owned()], false));
    }
    if limits.processes != Limits::default().processes {
        let value = limits.processes.to_string();
        settings.push(setting("pids", ["pids.max"; 2], [value.clone(), value], true));
    }
    if let Some(percent) = limits.cpu_percent {
        let quota = u64::from(percent).saturating_mul(PERIOD / 100);
        let files = ["cpu.cfs_quota_us", "cpu.max"];
        let values = [quota.to_string(), format!("{quota} {PERIOD}")];
        settings.push(setting("cpu", files, values, true));
    }
    settings
}

/// A mounted hierarchy of groups.
#[derive(Debug, PartialEq, Eq)]
struct Hierarchy {
    is_unified: bool,
    /// Its controllers and options, in version 1.
    options: Vec<String>,
    /// The group that is mounted.
    root: PathBuf,
    path: PathBuf,
}

fn hierarchies(listed: &[u8]) -> Vec<Hierarchy> {
    let listed = String::from_utf8_lossy(listed);
    let hierarchy = |line: &str| {
        let (_, kind) = line.split_once(" - ")?;
        let mut columns = kind.split(' ');
        let is_unified = match columns.next()? {
            "cgroup" => false,
            "cgroup2" => true,
            _ => return None,
        };
        let options = columns.nth(1)?.split(',').map(str::to_owned).collect();
        let mount = mountinfo::parse(line.as_bytes()).pop()?;
        Some(Hierarchy { is_unified, options, root: mount.root, path: mount.path })
    };
    listed.lines().filter_map(hierarchy).collect()
}

/// Where a group could be made.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    /// Which of a setting's files: 0 for version 1, 1 for version 2.
    version: usize,
    /// The folders to try, the first one that works.
    parents: Vec<PathBuf>,
    controllers: Vec<&'static str>,
}

/// Where groups could be made; `own` is `/proc/self/cgroup`.
fn places(own: &str, hierarchies: &[Hierarchy]) -> Vec<Place> {
    let mut places = Vec::new();
    let mut left = vec!["memory", "pids", "cpu"];
    let mut unified = Vec::new();
    for line in own.lines() {
        let mut columns = line.splitn(3, ':').skip(1);
        let (Some(names), Some(group)) = (columns.next(), columns.next()) else { continue };
        let folder = |of: &Hierarchy| {
            let below = Path::new(group).strip_prefix(&of.root).ok()?;
            // A group outside of this process's namespace is listed as `/../name`.
            let is_inside = below.components().all(|it| matches!(it, Component::Normal(_)));
            is_inside.then(|| of.path.join(below))
        };
        if names.is_empty() {
            for hierarchy in hierarchies.iter().filter(|it| it.is_unified) {
                let Some(folder) = folder(hierarchy) else { continue };
                let is_inside = |parent: &&Path| parent.starts_with(&hierarchy.path);
                let parents = folder.ancestors().take_while(is_inside).take(MAX_PARENTS);
                unified = parents.map(Path::to_owned).collect();
            }
            continue;
        }
        let is_named = |name: &str| names.split(',').any(|it| it == name);
        let here: Vec<_> = left.iter().copied().filter(|name| is_named(name)).collect();
        let has_all =
            |it: &&Hierarchy| here.iter().all(|name| it.options.iter().any(|o| o == name));
        let mounted = hierarchies.iter().filter(|it| !it.is_unified).find(has_all);
        if let Some(folder) = mounted.filter(|_| !here.is_empty()).and_then(folder) {
            left.retain(|name| !here.contains(name));
            places.push(Place { version: 0, parents: vec![folder], controllers: here });
        }
    }
    // A controller is in one hierarchy only: what version 1 does not have may be in version 2.
    if !left.is_empty() && !unified.is_empty() {
        places.push(Place { version: 1, parents: unified, controllers: left });
    }
    places
}

impl GroupFolder {
    /// Makes a group in the first folder where all of `settings` can be made, or else some of them.
    /// Returns it with the controllers that limit.
    fn make(
        version: usize,
        parents: &[PathBuf],
        settings: &[&Setting],
    ) -> Option<(Self, Vec<&'static str>)> {
        if settings.is_empty() {
            return None;
        }
        let mut partial = None;
        for parent in parents {
            let Ok(folder) = Self::create(parent) else { continue };
            let mut limited = Vec::new();
            for setting in settings {
                let file = folder.path.join(setting.files[version]);
                let written = write(&file, &setting.values[version]);
                if written.is_ok() && setting.is_needed {
                    limited.push(setting.controller);
                }
            }
            if limited.is_empty() || !folder.can_be_entered() {
                continue;
            }
            let needed = settings.iter().filter(|setting| setting.is_needed).count();
            if limited.len() == needed {
                return Some((folder, limited));
            }
            partial.get_or_insert((folder, limited));
        }
        partial
    }

    fn create(parent: &Path) -> std::io::Result<Self> {
        remove_unused(parent);
        let path = parent.join(unused_name()?);
        fs::create_dir(&path)?;
        let opened = || {
            let lock = File::open(&path)?;
            lock.try_lock().map_err(std::io::Error::from)?;
            let members = OpenOptions::new().write(true).open(path.join("cgroup.procs"))?;
            Ok((lock, members))
        };
        match opened() {
            Ok((lock, members)) => Ok(Self { path, members, _lock: lock }),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }

    /// Whether a process of ours may be moved into it: the folder alone does not say so, as the
    /// kernel also checks the group that both are in.
    fn can_be_entered(&self) -> bool {
        match raw::fork() {
            Ok(None) => raw::exit(i32::from((&self.members).write_all(b"0").is_err())),
            Ok(Some(child)) => loop {
                match waitpid(Some(child), WaitOptions::empty()) {
                    Err(rustix::io::Errno::INTR) => {}
                    Ok(Some((_, status))) => break status.exit_status() == Some(0),
                    _ => break false,
                }
            },
            Err(_) => false,
        }
    }
}

impl Drop for GroupFolder {
    fn drop(&mut self) {
        // Version 2: also what has no namespace to die with.
        let _ = write(&self.path.join("cgroup.kill"), "1");
        for _ in 0..REMOVALS {
            match fs::remove_dir(&self.path) {
                Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(REMOVAL_PAUSE);
                }
                _ => return,
            }
        }
    }
}

/// Removes groups whose launcher was killed: they are empty, and nobody holds their lock.
fn remove_unused(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if !entry.file_name().as_encoded_bytes().starts_with(NAME_PREFIX.as_bytes()) {
            continue;
        }
        if let Ok(folder) = File::open(entry.path())
            && folder.try_lock().is_ok()
        {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Writes to a file that exists; the kernel takes the value in one piece, or refuses it.
fn write(file: &Path, value: &str) -> std::io::Result<()> {
    OpenOptions::new().write(true).open(file)?.write_all(value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
25 1 0:22 / /sys/fs/cgroup rw - tmpfs tmpfs rw
26 25 0:23 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
27 25 0:24 /docker/a /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct
28 25 0:25 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
";

    #[test]
    fn controllers_are_found_in_both_versions() {
        let own = "9:memory:/jobs/7\n8:cpu,cpuacct:/docker/a/b\n1:name=systemd:/\n0::/user/me\n";
        let place = |version, parents: &[&str], controllers: &[&'static str]| Place {
            version,
            parents: parents.iter().map(PathBuf::from).collect(),
            controllers: controllers.to_vec(),
        };
        let expected = [
            place(0, &["/sys/fs/cgroup/memory/jobs/7"], &["memory"]),
            place(0, &["/sys/fs/cgroup/cpu,cpuacct/b"], &["cpu"]),
            place(
                1,
                &[
                    "/sys/fs/cgroup/unified/user/me",
                    "/sys/fs/cgroup/unified/user",
                    "/sys/fs/cgroup/unified",
                ],
                &["pids"],
            ),
        ];
        assert_eq!(places(own, &hierarchies(MOUNTS.as_bytes())), expected);
    }

    #[test]
    fn groups_outside_of_the_namespace_are_left_alone() {
        for own in ["9:memory:/../other\n", "0::/../../x\n", "8:cpu,cpuacct:/docker/b\n", ":\n9\n"]
        {
            assert_eq!(places(own, &hierarchies(MOUNTS.as_bytes())), [], "{own}");
        }
    }

    #[test]
    fn nothing_is_made_without_limits() {
        let groups = ControlGroups::make(&Limits::default());
        assert!(groups.folders.is_empty());
        assert_eq!(groups.limited, Limited::default());
    }
}
