//! Java: the sources of the standard library, which a JDK ships in an archive.

use std::path::PathBuf;

use super::{Environment, Libraries, LibraryScope, names_below, open_outside, version};

/// The archive's path in a JDK.
const ARCHIVES: [&str; 2] = ["lib/src.zip", "src.zip"];
/// Folders where tools and systems install JDKs; those in the user's home first.
const HOME_FOLDERS: [&str; 3] =
    [".sdkman/candidates/java", ".jdks", "Library/Java/JavaVirtualMachines"];
const SYSTEM_FOLDERS: [&str; 2] = ["/usr/lib/jvm", "/usr/java"];

pub(super) fn find(_: &[&crate::Root], environment: &Environment, found: &mut Libraries) {
    let Some(cache) = environment.cache() else { return };
    for home in homes(environment) {
        let Some(root) = open_outside(&home) else { continue };
        for archive in ARCHIVES {
            let Some((unpacked, archive)) = super::archive::open(&root, archive, &cache) else {
                continue;
            };
            let path = found.add_archive(unpacked, LibraryScope::All, archive);
            found.resolve_imports_to("java", "", path);
            return;
        }
    }
}

/// The folders of JDKs, the preferred one first.
fn homes(environment: &Environment) -> Vec<PathBuf> {
    let mut homes: Vec<_> = environment.folder("JAVA_HOME").into_iter().collect();
    let own = environment.home();
    let own = own.iter().flat_map(|home| HOME_FOLDERS.map(|below| home.join(below)));
    for folder in own.chain(SYSTEM_FOLDERS.map(PathBuf::from)) {
        let Some(root) = open_outside(&folder) else { continue };
        let mut names = names_below(&root, "");
        names.sort_by_key(|name| std::cmp::Reverse(version(name)));
        homes.extend(names.iter().map(|name| folder.join(name)));
    }
    homes
}
