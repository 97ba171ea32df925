//! C and C++: the headers of the system and the compiler.

use std::path::Path;

use super::{Environment, Libraries, LibraryScope, names_below, open_outside, version};
use crate::Root;

/// Header folders in search order.
const FOLDERS: &[&str] = &["/usr/local/include", "/usr/include"];

pub(super) fn find(_: &[&Root], _: &Environment, found: &mut Libraries) {
    for folder in FOLDERS {
        let Some(root) = open_outside(folder.as_ref()) else { continue };
        // Headers of one architecture, such as `x86_64-linux-gnu`.
        let machines: Vec<_> =
            names_below(&root, "").into_iter().filter(|name| name.contains("-linux-")).collect();
        let newest = newest(&root, "c++");
        let path = found.add_folder(root, LibraryScope::All);
        if let Some(version) = newest {
            found.resolve_imports_to("c", "", format!("{path}/c++/{version}"));
            for machine in &machines {
                found.resolve_imports_to("c", "", format!("{path}/{machine}/c++/{version}"));
            }
        }
        found.resolve_imports_to("c", "", path.clone());
        for machine in machines {
            found.resolve_imports_to("c", "", format!("{path}/{machine}"));
        }
    }
    if let Some(gcc) = open_outside("/usr/lib/gcc".as_ref()) {
        for machine in names_below(&gcc, "") {
            let Some(version) = newest(&gcc, &machine) else { continue };
            let below = Path::new(&machine).join(version).join("include");
            if let Ok(root) = gcc.beneath(&below) {
                let path = found.add_folder(root, LibraryScope::All);
                found.resolve_imports_to("c", "", path);
            }
        }
    }
}

/// The newest version in a folder.
fn newest(root: &Root, folder: &str) -> Option<String> {
    let mut all = names_below(root, folder);
    all.retain(|name| name.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    all.into_iter().max_by_key(|name| version(name))
}
