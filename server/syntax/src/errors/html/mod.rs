//! HTML: malformed tags and unbalanced elements.
//!
//! The parser accepts most errors, as browsers do, so tags are matched here, by the standard's
//! rules about optional end tags. Templates are skipped: an element may be opened in one branch and
//! closed in another.

mod elements;
mod tags;

use super::SyntaxError;
use elements::Elements;

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Markup that makes the text a template, whose output is unknown.
const TEMPLATE_MARKS: &[&str] =
    &["{%", "<%", "<?php", "<?=", "<#", "[%", "{{#", "{{/", "{{^", "{{-"];
/// Go template actions after `{{`, which may open and close elements.
const GO_ACTIONS: &[&str] = &["if", "range", "with", "end", "else", "define", "block", "template"];

/// The errors of a text, in document order.
pub(super) fn errors(source: &str) -> Vec<SyntaxError> {
    if is_template(source) {
        return Vec::new();
    }
    let mut errors = Vec::new();
    let mut elements = Elements::new(source);
    let mut reader = tags::TagReader::new(source);
    while let Some(tag) = reader.next_tag(&mut errors) {
        elements.add_tag(&tag);
        if errors.len() + elements.error_count() >= MAX_ERRORS {
            break;
        }
    }
    // After an unterminated construct, nothing is known about open elements.
    errors.extend(elements.finish(!reader.hit_unterminated));
    errors.sort_by_key(|error| error.span.start);
    errors.truncate(MAX_ERRORS);
    errors
}

fn is_template(source: &str) -> bool {
    let is_action = |(at, _): (usize, &str)| {
        let word = source[at + 2..].trim_start();
        GO_ACTIONS.iter().any(|action| {
            word.strip_prefix(action).is_some_and(|rest| rest.starts_with([' ', '}', '\n']))
        })
    };
    TEMPLATE_MARKS.iter().any(|mark| source.contains(mark))
        || source.match_indices("{{").any(is_action)
        // Half a page, with the other half in another file.
        || has_tag(source, "<body") != has_tag(source, "</body")
        || has_tag(source, "<html") != has_tag(source, "</html")
}

/// Whether a text has a tag; comments are not excluded.
fn has_tag(source: &str, tag: &str) -> bool {
    let bytes = source.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|at| {
        bytes.get(at..at + tag.len()).is_some_and(|found| {
            found.eq_ignore_ascii_case(tag.as_bytes())
                && bytes
                    .get(at + tag.len())
                    .is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'-')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors_of(source: &str) -> Vec<String> {
        let line = |at: usize| source[..at].matches('\n').count() + 1;
        errors(source).iter().map(|e| format!("{}: {}", line(e.span.start), e.message)).collect()
    }

    #[test]
    fn omitted_optional_tags_are_valid() {
        for source in [
            "<!DOCTYPE html><title>a</title><p>b<p>c<ul><li>d<li>e</ul>\n",
            "<table><tr><th>a<td>b<tr><td>c</table>",
            "<select><option>a<option selected>b</select><dl><dt>a<dd>b</dl>",
            "<br><img src=a.png><input disabled/><hr />",
            "<svg><path d=\"M0\"/></svg><my-part/><app-root></app-root>",
            "<a href='x' (click)=\"go($event)\" [class.a]=\"b > c\" *ngIf=\"d\" #e @f :g=\"h\">i</a>",
            "<script>if (a < b) { document.write('<p>'); }</script><style>a > b {}</style>",
            "<!-- <div> --> a < b & c <!-- > -->",
            "<p>{{ name }}</p>",
            "<P>a</p><DIV></div>",
            "<a href=x?a=b&c=d>e</a>",
            "<textarea><b></textarea>",
        ] {
            assert_eq!(errors_of(source), [""; 0], "{source}");
        }
    }

    #[test]
    fn unbalanced_elements_are_errors() {
        for (source, expected) in [
            ("<div>\n  <b>a\n</div>\n", "2: unclosed `<b>` that opens on line 2"),
            ("<div>\n  a\n</div></div>\n", "3: `</div>` has no opening `<div>`"),
            ("<h2>\na</h3>\n<p>b</p>", "2: expected `</h2>` before `</h3>`"),
            ("<div>\n<h2>\na</h3>\n<p>b</p></div>", "3: expected `</h2>` before `</h3>`"),
            ("<div>\n  <div>\n    a\n</div>\n", "2: unclosed `<div>` that opens on line 2"),
            ("<div>\n  a\n  </div>\n</div>\n", "3: `</div>` has no opening `<div>`"),
            ("<ul>\n <li>a</i>\n</ul>", "2: `</i>` has no opening `<i>`"),
            ("<script>\na", "1: unclosed `<script>` that opens on line 1"),
            ("a<!-- b", "1: unclosed comment that starts on line 1"),
        ] {
            assert_eq!(errors_of(source), [expected], "{source}");
        }
    }

    #[test]
    fn malformed_tags_are_errors() {
        for (source, expected) in [
            ("<p\n<b>a</b>", "2: expected `>` before `<`"),
            ("<p>a</p\n<b>a</b>", "2: expected `>` before `<`"),
            (
                "<a href=\"x>a</a>\n<a href=\"y\">b</a>\n",
                "1: unclosed string that starts on line 1",
            ),
            ("<a href=x\">a</a>", "1: unexpected `\"` in the value of an attribute"),
            ("<a href=\"x\"\">a</a>", "1: unexpected `\"`"),
            ("<a href=>a</a>", "1: expected a value after `=`"),
            ("<a href==\"x\">a</a>", "1: unexpected `=` in the value of an attribute"),
            ("<a =\"x\">a</a>", "1: expected a name before `=`"),
            ("<b>a</></b>", "1: expected a name after `</`"),
            ("<b>a</b", "1: unclosed `</b`"),
        ] {
            assert_eq!(errors_of(source), [expected], "{source}");
        }
    }

    #[test]
    fn templates_are_skipped() {
        for source in [
            "{% if a %}<div>{% endif %}",
            "{{#each a}}<div>{{/each}}",
            "{{ if .A }}<div>{{ end }}",
            "<html><body><div>",
            "<% a %></div>",
        ] {
            assert_eq!(errors_of(source), [""; 0], "{source}");
        }
    }
}
