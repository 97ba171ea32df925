//! C and C++: the headers of the system and of its compiler.

use std::path::Path;

use super::{Environment, Holds, Libraries, names_below, outside, version};
use crate::Root;

/// Where headers are put, in the order of search.
const FOLDERS: &[&str] = &["/usr/local/include", "/usr/include"];

pub(super) fn look(_: &[&Root], _: &Environment, found: &mut Libraries) {
    for folder in FOLDERS {
        let Some(root) = outside(folder.as_ref()) else { continue };
        // `x86_64-linux-gnu`: what differs between machines.
        let machines: Vec<_> =
            names_below(&root, "").into_iter().filter(|name| name.contains("-linux-")).collect();
        let newest = newest(&root, "c++");
        let path = found.take(root, Holds::All);
        if let Some(version) = newest {
            found.lead("c", "", format!("{path}/c++/{version}"));
            for machine in &machines {
                found.lead("c", "", format!("{path}/{machine}/c++/{version}"));
            }
        }
        found.lead("c", "", path.clone());
        for machine in machines {
            found.lead("c", "", format!("{path}/{machine}"));
        }
    }
    if let Some(gcc) = outside("/usr/lib/gcc".as_ref()) {
        for machine in names_below(&gcc, "") {
            let Some(version) = newest(&gcc, &machine) else { continue };
            let below = Path::new(&machine).join(version).join("include");
            if let Ok(root) = gcc.beneath(&below) {
                let path = found.take(root, Holds::All);
                found.lead("c", "", path);
            }
        }
    }
}

/// The newest of the versions that a folder holds.
fn newest(root: &Root, folder: &str) -> Option<String> {
    let mut all = names_below(root, folder);
    all.retain(|name| name.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    all.into_iter().max_by_key(|name| version(name))
}
