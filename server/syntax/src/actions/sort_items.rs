//! `sort_items`: sorts the elements of a list; comments move with their elements.

use std::cmp::Ordering;
use std::ops::Range;

use super::list::{List, is_line_bound, list_at_selection};
use super::{ActionContext, ActionProvider, Edits, PlannedAction};

pub(super) const SORT: ActionProvider =
    ActionProvider { id: "sort_items", kind: "refactor.rewrite.sort", find };

/// An element with its comments.
struct Item {
    /// From the first comment above it to its end.
    span: Range<usize>,
    /// Its own text.
    key: String,
    /// The comment after it on its last line.
    after: Option<Range<usize>>,
}

fn find(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let actions = || {
        let list = list_at_selection(context)?;
        let by = context.captures.setting(list.pattern, "list.sort")?;
        let values = by == "values";
        let asked = context.is_explicit || !context.range.is_empty();
        let constant = |span: &Range<usize>| {
            let node = context.syntax.root().descendant_for_byte_range(span.start, span.end);
            node.is_some_and(|n| {
                let kind = n.kind();
                let known = ["string", "integer", "float", "number", "char", "rune"];
                let known =
                    known.iter().any(|k| kind.contains(k)) || ["literal", "word"].contains(&kind);
                n.byte_range() == *span && known && !has_code(n)
            })
        };
        if list.items.len() < 2
            || values && !(asked && list.items.iter().all(constant))
            || is_line_bound(context, list.node)
            || !context.captures.may_sort(list.pattern, &context.text_of(list.node))
        {
            return None;
        }
        let items = items(context, &list)?;
        let mut order: Vec<usize> = (0..items.len()).collect();
        let numbers: Option<Vec<f64>> = items.iter().map(|i| i.key.parse().ok()).collect();
        match numbers {
            Some(numbers) => order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b])),
            None => order.sort_by(|a, b| compare_natural(&items[*a].key, &items[*b].key)),
        }
        if order.is_sorted() {
            return None;
        }
        let edits = match list.comments.is_empty() {
            true => permuted(context, &items, &order),
            false => rewritten_lines(context, &list, &items, &order)?,
        };
        context.try_edits(&edits)?;
        let title = if values { "Sort items (their order changes)" } else { "Sort items" };
        Some(vec![PlannedAction::new(title, edits)])
    };
    actions().unwrap_or_default()
}

/// Whether a string contains interpolated code.
fn has_code(node: tree_sitter::Node<'_>) -> bool {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.any(|n| {
        ["interpolation", "substitution", "expansion"].iter().any(|k| n.kind().contains(k))
    })
}

/// Permutes the elements; the text between them stays.
fn permuted(context: &ActionContext<'_>, items: &[Item], order: &[usize]) -> Edits {
    let text = context.syntax.text();
    let changed = items.iter().zip(order).enumerate().filter(|(at, (_, from))| at != *from);
    changed
        .map(|(_, (item, from))| {
            (item.span.clone(), text.slice(items[*from].span.clone()).into_owned())
        })
        .collect()
}

/// Rewrites the lines of a list with comments; `None` if elements share lines or blank lines
/// separate them.
fn rewritten_lines(
    context: &ActionContext<'_>,
    list: &List<'_>,
    items: &[Item],
    order: &[usize],
) -> Option<Edits> {
    let text = context.syntax.text();
    let starts_line =
        |at: usize| text.slice(text.line_start(text.line_of(at))..at).trim().is_empty();
    let (first, last) = (items.first()?, items.last()?);
    let end = last.after.as_ref().map_or(last.span.end, |b| b.end);
    let rest = text.slice(end..list.closes);
    let has_trailing_separator = list.has_trailing_separator();
    let comma = context.captures.setting(list.pattern, "list.separator").unwrap_or(",");
    let is_on_next_line = |pair: &[Item]| {
        let end = pair[0].after.as_ref().map_or(pair[0].span.end, |b| b.end);
        text.line_of(pair[1].span.start) == text.line_of(end) + 1
    };
    let is_plain_rest = rest.trim().is_empty() || rest.trim() == comma;
    if !items.iter().all(|i| starts_line(i.span.start))
        || !items.windows(2).all(is_on_next_line)
        || !is_plain_rest
        || !rest.contains('\n')
    {
        return None;
    }
    let indent = context.indent_at(first.span.start);
    let mut new = String::new();
    for (at, from) in order.iter().enumerate() {
        let item = &items[*from];
        if at > 0 {
            new += &context.end_before(text.line_of(items[at].span.start));
            new += &indent;
        }
        new += &text.slice(item.span.clone());
        if has_trailing_separator || at + 1 < items.len() {
            new += comma;
        }
        if let Some(after) = &item.after {
            new.push(' ');
            new += &text.slice(after.clone());
        }
    }
    let comma_end = end + rest.len() - rest.trim_start().trim_start_matches(comma).len();
    let stop = if has_trailing_separator && last.after.is_none() { comma_end } else { end };
    Some(vec![(first.span.start..stop, new)])
}

/// The elements with their comments; `None` if it is unclear which element a comment belongs to.
fn items(context: &ActionContext<'_>, list: &List<'_>) -> Option<Vec<Item>> {
    let text = context.syntax.text();
    let mut items: Vec<Item> = list
        .items
        .iter()
        .map(|span| {
            let key = text.slice(span.clone());
            let key = key.trim_matches(['"', '\'', '`']).to_owned();
            Item { span: span.clone(), key, after: None }
        })
        .collect();
    let line = |at: usize| text.line_of(at);
    for comment in list.comments.iter().rev() {
        let end = comment.start + text.slice(comment.clone()).trim_end().len();
        let before = items.iter().rposition(|i| i.span.start < comment.start);
        if let Some(before) = before
            && line(list.items[before].end) == line(comment.start)
        {
            // A comment after an element, with nothing after it on its line.
            let following = items.get(before + 1).map_or(list.closes, |i| i.span.start);
            if line(following) == line(end) || items[before].after.is_some() {
                return None;
            }
            items[before].after = Some(comment.start..end);
            continue;
        }
        let next = items.get_mut(before.map_or(0, |b| b + 1))?;
        let alone = text.slice(text.line_start(line(comment.start))..comment.start);
        if !alone.trim().is_empty() || line(next.span.start) > line(end) + 1 {
            return None;
        }
        next.span.start = comment.start;
    }
    Some(items)
}

/// Compares case-insensitively, and runs of digits as numbers.
pub(super) fn compare_natural(a: &str, b: &str) -> Ordering {
    let mut rest = (a, b);
    loop {
        let digits = |s: &str| s.len() - s.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (left, right) = (digits(rest.0), digits(rest.1));
        if left > 0 && right > 0 {
            let number = |s: &str, n: usize| s[..n].trim_start_matches('0').to_owned();
            let (x, y) = (number(rest.0, left), number(rest.1, right));
            let by = x.len().cmp(&y.len()).then_with(|| x.cmp(&y));
            if by.is_ne() {
                return by;
            }
            rest = (&rest.0[left..], &rest.1[right..]);
            continue;
        }
        let (x, y) = (rest.0.chars().next(), rest.1.chars().next());
        let (Some(x), Some(y)) = (x, y) else {
            return rest.0.len().cmp(&rest.1.len()).then_with(|| a.cmp(b));
        };
        let by = x.to_lowercase().cmp(y.to_lowercase());
        if by.is_ne() {
            return by;
        }
        rest = (&rest.0[x.len_utf8()..], &rest.1[y.len_utf8()..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_as_numbers_and_case_does_not() {
        let mut all = ["b10", "B2", "a", "b2", "", "C", "b010"];
        all.sort_by(|a, b| compare_natural(a, b));
        assert_eq!(all, ["", "a", "B2", "b2", "b010", "b10", "C"]);
    }
}
