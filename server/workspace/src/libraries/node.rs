//! Node packages: `node_modules` in the project and in its parent folders.

use super::{Environment, Libraries, LibraryScope};
use crate::Root;

pub(super) fn find(roots: &[&Root], _: &Environment, found: &mut Libraries) {
    for root in roots {
        if let Ok(own) = root.beneath("".as_ref()) {
            let _ = found.add_folder(own, LibraryScope::NodeModules);
        }
    }
    for root in roots {
        for above in root.path().ancestors().skip(1) {
            if let Ok(folder) = Root::open_no_follow(&above.join("node_modules")) {
                let _ = found.add_folder(folder, LibraryScope::All);
            }
        }
    }
}
