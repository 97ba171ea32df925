//! The modules of Python's standard library.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;

/// Whether a module is part of Python, in any version.
pub(crate) fn is_python_module(name: &str) -> bool {
    static TABLE: OnceLock<FxHashSet<&'static str>> = OnceLock::new();
    let list = include_str!("../../../../queries/python/modules.txt");
    TABLE.get_or_init(|| list.lines().collect()).contains(name)
}
