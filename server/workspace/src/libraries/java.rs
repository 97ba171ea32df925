//! Java: the sources of the library, which a JDK brings along in an archive.

use std::path::PathBuf;

use super::{Environment, Holds, Libraries, names_below, outside, version};

/// Where a JDK has the archive.
const ARCHIVES: [&str; 2] = ["lib/src.zip", "src.zip"];
/// Folders in which systems and tools install JDKs, the user's own first.
const BELOW_HOME: [&str; 3] =
    [".sdkman/candidates/java", ".jdks", "Library/Java/JavaVirtualMachines"];
const OF_SYSTEM: [&str; 2] = ["/usr/lib/jvm", "/usr/java"];

pub(super) fn look(_: &[&crate::Root], environment: &Environment, found: &mut Libraries) {
    let Some(cache) = environment.cache() else { return };
    for home in homes(environment) {
        let Some(root) = outside(&home) else { continue };
        for archive in ARCHIVES {
            let Some((unpacked, archive)) = super::archive::open(&root, archive, &cache) else {
                continue;
            };
            let path = found.take_archive(unpacked, Holds::All, archive);
            found.lead("java", "", path);
            return;
        }
    }
}

/// The folders of JDKs, the one to be preferred first.
fn homes(environment: &Environment) -> Vec<PathBuf> {
    let mut homes: Vec<_> = environment.folder("JAVA_HOME").into_iter().collect();
    let own = environment.home();
    let own = own.iter().flat_map(|home| BELOW_HOME.map(|below| home.join(below)));
    for folder in own.chain(OF_SYSTEM.map(PathBuf::from)) {
        let Some(root) = outside(&folder) else { continue };
        let mut names = names_below(&root, "");
        names.sort_by_key(|name| std::cmp::Reverse(version(name)));
        homes.extend(names.iter().map(|name| folder.join(name)));
    }
    homes
}
