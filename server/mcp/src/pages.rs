//! Lists, a page at a time.

use rmcp::model::{ErrorData, PaginatedRequestParams};

/// Items of a page.
pub(crate) const PAGE_SIZE: usize = 100;
/// Tools of a page: more than there are, because many clients read the first page only, and would miss
/// tools without a word.
pub(crate) const TOOL_PAGE_SIZE: usize = 1_000;

/// The page of `size` items that a request asks for, and the cursor of the next one. `list` is the list's name, since
/// cursors are of one list.
///
/// # Errors
/// If the cursor is none of this list's.
pub(crate) fn page<T>(
    list: &str,
    size: usize,
    mut items: Vec<T>,
    request: Option<&PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match request.and_then(|request| request.cursor.as_deref()) {
        None => 0,
        Some(cursor) => parse_cursor(list, cursor)
            .filter(|start| (1..items.len()).contains(start) && start.is_multiple_of(size))
            .ok_or_else(|| {
                let why = "the cursor is not of this list, or the list has changed; leave it out";
                ErrorData::invalid_params(why, None)
            })?,
    };
    let end = (start + size).min(items.len());
    let next = (end < items.len()).then(|| format!("{list}:{end}"));
    items.truncate(end);
    items.drain(..start);
    Ok((items, next))
}

fn parse_cursor(list: &str, cursor: &str) -> Option<usize> {
    let start = cursor.strip_prefix(list)?.strip_prefix(':')?;
    start.parse().ok().filter(|parsed: &usize| parsed.to_string() == start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(cursor: &str, total: usize) -> Result<(Vec<usize>, Option<String>), ErrorData> {
        let request = PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned()));
        page("tools", PAGE_SIZE, (0..total).collect(), Some(&request))
    }

    #[test]
    fn pages_follow_each_other() {
        let (first, next) = page("tools", PAGE_SIZE, (0..250).collect(), None).unwrap();
        assert_eq!((first.len(), next.as_deref()), (100, Some("tools:100")));
        let (second, next) = ask("tools:100", 250).unwrap();
        assert_eq!((second[0], second.len(), next.as_deref()), (100, 100, Some("tools:200")));
        let (third, next) = ask("tools:200", 250).unwrap();
        assert_eq!((third[0], third.len(), next), (200, 50, None));
        assert_eq!(page("tools", PAGE_SIZE, vec![1; 100], None).unwrap().1, None);
    }

    #[test]
    fn other_cursors_are_refused() {
        for cursor in
            ["", "tools", "tools:", "tools:0", "tools:7", "tools:+100", "tools:300", "prompts:100"]
        {
            let error = ask(cursor, 250).unwrap_err();
            assert_eq!(error.code.0, -32_602, "{cursor}");
        }
    }
}
