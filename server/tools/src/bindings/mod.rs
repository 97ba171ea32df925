//! Generates typed calls for editor plugins from the registry: Lua and TypeScript.

mod lua;
mod schema_type;
mod typescript;

pub use self::lua::lua;
pub use self::typescript::typescript;

/// `apply_edit` as `ApplyEdit`.
fn pascal_case(name: &str) -> String {
    let mut out = String::new();
    for part in name.split('_') {
        let mut letters = part.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.extend(letters);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_pascal_case() {
        assert_eq!(pascal_case("apply_edit"), "ApplyEdit");
        assert_eq!(pascal_case("undo"), "Undo");
    }
}
