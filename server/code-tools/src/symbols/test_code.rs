//! Which code is a test, by the conventions of test runners: the names of files and functions.

/// Whether a function in a file is a test or its helper.
pub(super) fn is_test(path: &str, name: &str, container: Option<&str>) -> bool {
    let name_of_file = path.rsplit('/').next().unwrap_or(path);
    let stem = name_of_file.split('.').next().unwrap_or(name_of_file);
    let in_test_file = stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem == "conftest"
        || [".test.", ".spec."].iter().any(|part| name_of_file.contains(part))
        || (stem.ends_with("Test") || stem.ends_with("Tests"));
    let in_test_folder = path
        .split('/')
        .rev()
        .skip(1)
        .any(|folder| matches!(folder, "tests" | "test" | "__tests__" | "spec"));
    let is_named_test = name.starts_with("test_") || name.starts_with("Test");
    // A module of unit tests, as in Rust.
    let in_test_module = container.is_some_and(|container| {
        container.split(['/', ':', '.']).any(|part| part == "tests" || part == "test")
    });
    in_test_file || in_test_folder || is_named_test || in_test_module
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions_of_test_runners() {
        for (path, name, container) in [
            ("tests/helpers.py", "make", None),
            ("pkg/test_shapes.py", "area", None),
            ("pkg/shapes_test.go", "TestArea", None),
            ("src/shapes.test.ts", "", None),
            ("src/__tests__/shapes.js", "", None),
            ("src/ShapesTest.java", "area", Some("ShapesTest")),
            ("spec/shapes_spec.rb", "", None),
            ("src/shapes.rs", "area_of_a_circle", Some("tests")),
            ("src/shapes.py", "test_area", None),
        ] {
            assert!(is_test(path, name, container), "{path}: {name}");
        }
        for (path, name, container) in [
            ("src/contest.py", "attest", None),
            ("src/latest/shapes.ts", "area", Some("Shapes")),
            ("src/shapes.rs", "area", Some("shapes")),
        ] {
            assert!(!is_test(path, name, container), "{path}: {name}");
        }
    }
}
