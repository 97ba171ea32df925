//! How the elements of a long value are had page by page, of adapters that give none or are slow at
//! it: by an expression for a part of it.

use serde::Deserialize;
use serde_json::json;

use crate::Values;
use crate::template::words;

const LENGTH: &str = "{length}";

/// How it is done for values of one type.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pages {
    /// The type's name; one `*` stands for anything, which `{element}` is then, and `{length}` for a
    /// number.
    #[serde(rename = "type")]
    kind: String,
    /// An expression for how many elements `{value}` has.
    length: String,
    /// An expression for its elements from `{start}` to before `{end}`, `{count}` of them.
    slice: String,
    /// An expression for the element `{index}`; by default as arrays have it.
    #[serde(default = "of_arrays")]
    item: String,
}

fn of_arrays() -> String {
    "({value})[{index}]".to_owned()
}

impl Pages {
    /// What `*` and `{length}` stand for in the name of a type, where it is such a one.
    fn parts<'t>(&self, kind: &'t str) -> Option<(&'t str, &'t str)> {
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

/// Expressions about one value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Paged<'p> {
    pages: &'p Pages,
    value: String,
    element: String,
    length: String,
}

impl PartialEq for Pages {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Pages {}

impl<'p> Paged<'p> {
    /// Of the value of an expression, of this type; `None` where that is not known how.
    pub(crate) fn of(all: &'p [Pages], value: &str, kind: &str) -> Option<Self> {
        all.iter().find_map(|pages| {
            let (element, length) = pages.parts(kind)?;
            let [value, element, length] = [value, element, length].map(str::to_owned);
            Some(Self { pages, value, element, length })
        })
    }

    /// The expression for how many elements it has.
    pub(crate) fn length(&self) -> Option<String> {
        self.filled(&self.pages.length, 0, 0)
    }

    /// The expression for some of its elements.
    pub(crate) fn slice(&self, start: usize, count: usize) -> Option<String> {
        self.filled(&self.pages.slice, start, count)
    }

    /// The expression for one element.
    pub(crate) fn item(&self, index: usize) -> Option<String> {
        self.filled(&self.pages.item, index, 1)
    }

    fn filled(&self, template: &str, start: usize, count: usize) -> Option<String> {
        let values = Values::from([
            ("value", json!(self.value)),
            ("element", json!(self.element)),
            ("length", json!(self.length)),
            ("start", json!(start)),
            ("index", json!(start)),
            ("end", json!(start.saturating_add(count))),
            ("count", json!(count)),
        ]);
        words(&[template.to_owned()], &values).pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Adapters;

    fn slice(adapter: &str, value: &str, kind: &str) -> Option<String> {
        let adapter = Adapters::embedded().iter().find(|one| one.name == adapter).unwrap();
        Paged::of(&adapter.pages, value, kind)?.slice(500, 100)
    }

    #[test]
    fn parts_of_long_values_are_asked_for_as_the_table_says() {
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
