//! Node's packages: `node_modules` in a project, and beside the folders above it.

use super::{Environment, Holds, Libraries};
use crate::Root;

pub(super) fn look(roots: &[&Root], _: &Environment, found: &mut Libraries) {
    for root in roots {
        if let Ok(own) = root.beneath("".as_ref()) {
            let _ = found.take(own, Holds::NodeModules);
        }
    }
    for root in roots {
        for above in root.path().ancestors().skip(1) {
            if let Ok(folder) = Root::open_unfollowed(&above.join("node_modules")) {
                let _ = found.take(folder, Holds::All);
            }
        }
    }
}
