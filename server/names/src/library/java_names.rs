//! The public packages and types of the Java library, and the members that types pass on to
//! subtypes. Independent of the JDK installed on this machine.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// A line `= name` per package, followed by a line per public type: its name, its visible fields
/// and nested types, and after `<` the supertypes that pass on more.
const LIST: &str = include_str!("../../../../queries/java/library.txt");

/// Depth limit of the hierarchy.
const MAX_DEPTH: u32 = 16;

/// The rest of each type's line, by the type's name.
type Package = FxHashMap<&'static str, &'static str>;

fn packages() -> &'static FxHashMap<&'static str, Package> {
    static TABLE: OnceLock<FxHashMap<&'static str, Package>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let (mut table, mut package) = (FxHashMap::<_, Package>::default(), "");
        for line in LIST.lines() {
            if let Some(name) = line.strip_prefix("= ") {
                package = name;
                continue;
            }
            let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
            table.entry(package).or_default().insert(name, rest);
        }
        table
    })
}

/// Whether the library has a package.
pub(crate) fn has_package(package: &str) -> bool {
    packages().contains_key(package)
}

/// Whether a package of the library has a type.
pub(crate) fn has_type(package: &str, name: &str) -> bool {
    packages().get(package).is_some_and(|types| types.contains_key(name))
}

/// The types of a package of the library.
pub(crate) fn types(package: &str) -> impl Iterator<Item = &'static str> {
    packages().get(package).into_iter().flat_map(|types| types.keys().copied())
}

/// The packages of the library that have a type of this name.
pub(crate) fn packages_with(name: &str) -> impl Iterator<Item = &'static str> {
    let all = packages().iter();
    all.filter(move |(_, types)| types.contains_key(name)).map(|(package, _)| *package)
}

/// Whether a library type, given by its qualified name, has or inherits a visible field or nested
/// type. `None` if the library has no such type.
pub(crate) fn has_inheritable_member(path: &str, name: &str) -> Option<bool> {
    is_given(path, name, 0)
}

fn is_given(path: &str, name: &str, depth: u32) -> Option<bool> {
    let (package, of) = path.rsplit_once('.')?;
    let line = packages().get(package)?.get(of)?;
    if depth > MAX_DEPTH {
        return None;
    }
    for word in line.split(' ') {
        let found = match word.strip_prefix('<') {
            Some(above) if above.contains('.') => is_given(above, name, depth + 1)?,
            Some(above) => is_given(&format!("{package}.{above}"), name, depth + 1)?,
            None => word == name,
        };
        if found {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_up_packages_types_and_members() {
        assert!(has_package("java.util.concurrent") && !has_package("java.uti"));
        assert!(has_type("java.util", "List") && !has_type("java.util", "Lst"));
        assert_eq!(has_inheritable_member("java.util.ArrayList", "modCount"), Some(true));
        assert_eq!(has_inheritable_member("java.util.HashMap", "Entry"), Some(true));
        assert_eq!(has_inheritable_member("java.lang.Runnable", "Entry"), Some(false));
        assert_eq!(has_inheritable_member("org.example.Thing", "Entry"), None);
        assert!(packages_with("List").any(|p| p == "java.util"));
    }
}
