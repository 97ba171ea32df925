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
    use crate::registry;

    #[test]
    fn names_are_pascal_case() {
        assert_eq!(pascal_case("apply_edit"), "ApplyEdit");
        assert_eq!(pascal_case("undo"), "Undo");
    }

    #[test]
    fn every_tool_has_its_types() {
        let (lua, typescript) = (lua(), typescript());
        for tool in registry() {
            let (name, class) = (tool.name, pascal_case(tool.name));
            assert!(lua.contains(&format!("---@class tandem.{class}.Params\n")), "{name}");
            assert!(lua.contains(&format!("\nfunction M.{name}(params, opts)\n")), "{name}");
            // A tool without parameters has no members to list.
            let takes = ["interface {}Params {", "type {}Params = "];
            let has =
                |form: &str| typescript.contains(&format!("export {}", form.replace("{}", &class)));
            assert!(takes.into_iter().any(has), "{name}");
            let row = format!("  {name}: {{ params: {class}Params; result: {class}Result }};\n");
            assert!(typescript.contains(&row), "{name}");
        }
        for text in [lua, typescript] {
            assert!(!text.lines().any(|line| line.ends_with(' ')));
        }
    }
}
