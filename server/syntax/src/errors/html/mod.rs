//! What is wrong in HTML: tags, and elements without their other halves.
//!
//! The parser takes most of what is wrong for right, as browsers do. So the text is read here, by
//! the rules of the standard for what may be left out. Nothing is said of templates: what is open
//! in one part may be closed in another.

mod elements;
mod tags;

use super::SyntaxError;
use elements::Elements;

/// Most errors of one text.
const MOST: usize = 20;
/// What makes a template of a text: what it is made into is not known.
const TEMPLATE: &[&str] = &["{%", "<%", "<?php", "<?=", "<#", "[%", "{{#", "{{/", "{{^", "{{-"];
/// Words behind `{{` in templates of Go, which may open and close.
const ACTIONS: &[&str] = &["if", "range", "with", "end", "else", "define", "block", "template"];

/// The errors of a text, in order.
pub(super) fn errors(source: &str) -> Vec<SyntaxError> {
    if is_template(source) {
        return Vec::new();
    }
    let mut errors = Vec::new();
    let mut elements = Elements::new(source);
    let mut reader = tags::Reader::new(source);
    while let Some(tag) = reader.next_tag(&mut errors) {
        elements.take(&tag);
        if errors.len() + elements.error_count() >= MOST {
            break;
        }
    }
    // Behind what swallowed the rest, nobody knows what is closed.
    errors.extend(elements.finish(!reader.is_cut));
    errors.sort_by_key(|error| error.span.start);
    errors.truncate(MOST);
    errors
}

fn is_template(source: &str) -> bool {
    let is_action = |(at, _): (usize, &str)| {
        let word = source[at + 2..].trim_start();
        ACTIONS.iter().any(|action| {
            word.strip_prefix(action).is_some_and(|rest| rest.starts_with([' ', '}', '\n']))
        })
    };
    TEMPLATE.iter().any(|mark| source.contains(mark))
        || source.match_indices("{{").any(is_action)
        // A half of a page, whose other half is in another file.
        || has(source, "<body") != has(source, "</body")
        || has(source, "<html") != has(source, "</html")
}

/// Whether a text has a tag, outside of comments as far as a search can see.
fn has(source: &str, tag: &str) -> bool {
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

    fn told(source: &str) -> Vec<String> {
        let line = |at: usize| source[..at].matches('\n').count() + 1;
        errors(source).iter().map(|e| format!("{}: {}", line(e.span.start), e.message)).collect()
    }

    #[test]
    fn what_the_standard_lets_out_is_right() {
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
            assert_eq!(told(source), [""; 0], "{source}");
        }
    }

    #[test]
    fn elements_without_their_other_halves_are_named() {
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
            assert_eq!(told(source), [expected], "{source}");
        }
    }

    #[test]
    fn tags_that_are_not_whole_are_named() {
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
            assert_eq!(told(source), [expected], "{source}");
        }
    }

    #[test]
    fn templates_are_left_alone() {
        for source in [
            "{% if a %}<div>{% endif %}",
            "{{#each a}}<div>{{/each}}",
            "{{ if .A }}<div>{{ end }}",
            "<html><body><div>",
            "<% a %></div>",
        ] {
            assert_eq!(told(source), [""; 0], "{source}");
        }
    }
}
