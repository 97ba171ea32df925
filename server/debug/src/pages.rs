//! Pages of long values, for adapters that do not support them or are slow: an expression evaluates
//! to the part.

use serde::Deserialize;
use serde_json::json;

use crate::TemplateValues;
use crate::template::fill_all;

const LENGTH: &str = "{length}";

/// The expressions for one type.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageTemplates {
    /// The type's name. A `*` matches anything, available as `{element}`; `{length}` matches a
    /// number.
    #[serde(rename = "type")]
    kind: String,
    /// The expression for the number of elements of `{value}`.
    length: String,
    /// The expression for the elements from `{start}` to before `{end}`; `{count}` of them.
    slice: String,
    /// The expression for element `{index}`; by default array syntax.
    #[serde(default = "array_item")]
    item: String,
}

fn array_item() -> String {
    "({value})[{index}]".to_owned()
}

impl PageTemplates {
    /// What `*` and `{length}` match in a type's name; `None` if it is another type.
    fn match_type<'t>(&self, kind: &'t str) -> Option<(&'t str, &'t str)> {
        let Some((before, after)) = self.kind.split_once('*') else {
            return (self.kind == kind).then_some(("", ""));
        };
        let rest = kind.strip_prefix(before)?;
        let Some((between, end)) = after.split_once(LENGTH) else {
            return Some((rest.strip_suffix(after)?, ""));
        };
        let (element, length) = rest.strip_suffix(end)?.split_once(between)?;
        let is_number = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some((element, length))
    }
}

/// The expressions for one value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageExpressions<'p> {
    templates: &'p PageTemplates,
    value: String,
    element: String,
    length: String,
}

impl PartialEq for PageTemplates {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for PageTemplates {}

impl<'p> PageExpressions<'p> {
    /// For an expression and its type; `None` if the table lacks the type.
    pub(crate) fn new(all: &'p [PageTemplates], value: &str, kind: &str) -> Option<Self> {
        all.iter().find_map(|templates| {
            let (element, length) = templates.match_type(kind)?;
            let [value, element, length] = [value, element, length].map(str::to_owned);
            Some(Self { templates, value, element, length })
        })
    }

    /// The expression for its number of elements.
    pub(crate) fn length(&self) -> Option<String> {
        self.fill(&self.templates.length, 0, 0)
    }

    /// The expression for some elements.
    pub(crate) fn slice(&self, start: usize, count: usize) -> Option<String> {
        self.fill(&self.templates.slice, start, count)
    }

    /// The expression for one element.
    pub(crate) fn item(&self, index: usize) -> Option<String> {
        self.fill(&self.templates.item, index, 1)
    }

    fn fill(&self, template: &str, start: usize, count: usize) -> Option<String> {
        let values = TemplateValues::from([
            ("value", json!(self.value)),
            ("element", json!(self.element)),
            ("length", json!(self.length)),
            ("start", json!(start)),
            ("index", json!(start)),
            ("end", json!(start.saturating_add(count))),
            ("count", json!(count)),
        ]);
        fill_all(&[template.to_owned()], &values).pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Adapters;

    fn slice(adapter: &str, value: &str, kind: &str) -> Option<String> {
        let adapter = Adapters::builtin().iter().find(|one| one.name == adapter).unwrap();
        PageExpressions::new(&adapter.pages, value, kind)?.slice(500, 100)
    }

    #[test]
    fn pages_of_long_values_use_the_tables_expressions() {
        assert_eq!(slice("debugpy", "self.all", "list").unwrap(), "(self.all)[500:600]");
        assert_eq!(slice("debugpy", "x", "dict").unwrap(), "list(dict.items(x))[500:600]");
        assert_eq!(slice("debugpy", "x", "Ledger"), None);
        let vec = slice("lldb-dap", "v", "alloc::vec::Vec<a::B, alloc::alloc::Global>").unwrap();
        assert!(vec.contains("(a::B*)") && vec.contains("+ 500"), "{vec}");
        let array = slice("lldb-dap", "x", "int[100000]").unwrap();
        assert_eq!(array, "*(int(*)[100])&(x)[500]");
        assert_eq!(slice("lldb-dap", "x", "int[10][20]"), None);
        assert!(slice("lldb-dap", "x", "&[i64]").unwrap().contains("data_ptr"));
        assert_eq!(slice("lldb-dap", "x", "int *"), None);
    }
}
