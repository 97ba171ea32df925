//! `sort_items`: the elements of a list in order; comments stay with what they stand at.

use std::cmp::Ordering;
use std::ops::Range;

use super::list::{List, is_bound_to_its_line, meant};
use super::{Edits, Place, Planned, Planner};

pub(super) const ITEMS: Planner = Planner { id: "sort_items", kind: "refactor.rewrite.sort", find };

/// An element with what belongs to it.
struct Item {
    /// From the first comment above it to its end.
    span: Range<usize>,
    /// Its own text.
    key: String,
    /// The comment behind it on its last line.
    behind: Option<Range<usize>>,
}

fn find(place: &Place<'_>) -> Vec<Planned> {
    let made = || {
        let list = meant(place)?;
        let by = place.marks.setting(list.pattern, "list.sort")?;
        let values = by == "values";
        let asked = place.explicit || !place.range.is_empty();
        let constant = |span: &Range<usize>| {
            let node = place.syntax.root().descendant_for_byte_range(span.start, span.end);
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
            || is_bound_to_its_line(place, list.node)
            || !place.marks.may_sort(list.pattern, &place.text_of(list.node))
        {
            return None;
        }
        let items = items(place, &list)?;
        let mut order: Vec<usize> = (0..items.len()).collect();
        let numbers: Option<Vec<f64>> = items.iter().map(|i| i.key.parse().ok()).collect();
        match numbers {
            Some(numbers) => order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b])),
            None => order.sort_by(|a, b| in_order(&items[*a].key, &items[*b].key)),
        }
        if order.is_sorted() {
            return None;
        }
        let edits = match list.comments.is_empty() {
            true => moved(place, &items, &order),
            false => rewritten(place, &list, &items, &order)?,
        };
        place.tried(&edits)?;
        let title = if values { "Sort items (their order changes)" } else { "Sort items" };
        Some(vec![Planned::new(title, edits)])
    };
    made().unwrap_or_default()
}

/// Whether a text holds code whose value is put into it.
fn has_code(node: tree_sitter::Node<'_>) -> bool {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.any(|n| {
        ["interpolation", "substitution", "expansion"].iter().any(|k| n.kind().contains(k))
    })
}

/// Each element takes another's place; what stands between them stays.
fn moved(place: &Place<'_>, items: &[Item], order: &[usize]) -> Edits {
    let text = place.syntax.text();
    let changed = items.iter().zip(order).enumerate().filter(|(at, (_, from))| at != *from);
    changed
        .map(|(_, (item, from))| {
            (item.span.clone(), text.slice(items[*from].span.clone()).into_owned())
        })
        .collect()
}

/// The lines of a list anew, comments with their elements; `None` where elements share lines, or
/// blank lines set them apart.
fn rewritten(place: &Place<'_>, list: &List<'_>, items: &[Item], order: &[usize]) -> Option<Edits> {
    let text = place.syntax.text();
    let starts_line =
        |at: usize| text.slice(text.line_start(text.line_of(at))..at).trim().is_empty();
    let (first, last) = (items.first()?, items.last()?);
    let end = last.behind.as_ref().map_or(last.span.end, |b| b.end);
    let rest = text.slice(end..list.closes);
    let trails = list.trails();
    let comma = place.marks.setting(list.pattern, "list.separator").unwrap_or(",");
    let apart = |pair: &[Item]| {
        let end = pair[0].behind.as_ref().map_or(pair[0].span.end, |b| b.end);
        text.line_of(pair[1].span.start) == text.line_of(end) + 1
    };
    let own = rest.trim().is_empty() || rest.trim() == comma;
    if !items.iter().all(|i| starts_line(i.span.start))
        || !items.windows(2).all(apart)
        || !own
        || !rest.contains('\n')
    {
        return None;
    }
    let indent = place.indent_at(first.span.start);
    let mut new = String::new();
    for (at, from) in order.iter().enumerate() {
        let item = &items[*from];
        if at > 0 {
            new += &place.end_before(text.line_of(items[at].span.start));
            new += &indent;
        }
        new += &text.slice(item.span.clone());
        if trails || at + 1 < items.len() {
            new += comma;
        }
        if let Some(behind) = &item.behind {
            new.push(' ');
            new += &text.slice(behind.clone());
        }
    }
    let comma_end = end + rest.len() - rest.trim_start().trim_start_matches(comma).len();
    let stop = if trails && last.behind.is_none() { comma_end } else { end };
    Some(vec![(first.span.start..stop, new)])
}

/// The elements with their comments; `None` where it is not clear what a comment belongs to.
fn items(place: &Place<'_>, list: &List<'_>) -> Option<Vec<Item>> {
    let text = place.syntax.text();
    let mut items: Vec<Item> = list
        .items
        .iter()
        .map(|span| {
            let key = text.slice(span.clone());
            let key = key.trim_matches(['"', '\'', '`']).to_owned();
            Item { span: span.clone(), key, behind: None }
        })
        .collect();
    let line = |at: usize| text.line_of(at);
    for comment in list.comments.iter().rev() {
        let end = comment.start + text.slice(comment.clone()).trim_end().len();
        let before = items.iter().rposition(|i| i.span.start < comment.start);
        if let Some(before) = before
            && line(list.items[before].end) == line(comment.start)
        {
            // Behind an element, and nothing behind it on its line.
            let following = items.get(before + 1).map_or(list.closes, |i| i.span.start);
            if line(following) == line(end) || items[before].behind.is_some() {
                return None;
            }
            items[before].behind = Some(comment.start..end);
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

/// By letters, whatever their case, and by numbers where both have one.
pub(super) fn in_order(a: &str, b: &str) -> Ordering {
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
        all.sort_by(|a, b| in_order(a, b));
        assert_eq!(all, ["", "a", "B2", "b2", "b010", "b10", "C"]);
    }
}
