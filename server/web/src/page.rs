//! HTML pages as readable Markdown.

use std::time::Instant;

use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, ParsePolicy, Readability, TextMode};
use html5ever::ParseOpts;
use html5ever::tree_builder::TreeBuilderOpts;
use tendril::{StrTendril, TendrilSink};
use url::Url;

use crate::limits::{MAX_PAGE_BYTES, MAX_PAGE_DEPTH, MAX_PAGE_NODES, MAX_PARSE_TIME};

/// A page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) title: Option<String>,
    pub(crate) byline: Option<String>,
    pub(crate) site: Option<String>,
    pub(crate) published: Option<String>,
    /// What a reader reads, as Markdown with links.
    pub(crate) markdown: String,
    /// Whether no main content was found, so that `markdown` is the whole page.
    pub(crate) is_whole: bool,
}

/// How much of a page is parsed before its size is checked, in bytes. Unclosed elements are repeated in every
/// paragraph that follows, so each byte may cost as many nodes as there are such elements.
const PARSED_BYTES: usize = 16;

/// Converts a page.
///
/// # Errors
/// Says what makes it too large to be converted.
pub(crate) fn convert(html: &str, url: &Url) -> Result<Page, String> {
    if html.len() > MAX_PAGE_BYTES {
        return Err(format!(
            "the page has {} bytes; {MAX_PAGE_BYTES} can be converted",
            html.len()
        ));
    }
    let document = parse(html)?;
    check_depth(&document)?;
    let config = Config { text_mode: TextMode::Markdown, ..Config::default() };
    let readability =
        Readability::with_document(document.clone(), Some(url.as_str()), Some(config));
    let mut readability = readability.map_err(|error| error.to_string())?;
    let (article, is_whole) = match readability.parse() {
        Ok(article) => (Some(article), false),
        Err(_) => {
            let config = Config { text_mode: TextMode::Markdown, ..Config::default() };
            let whole =
                Readability::with_document(document.clone(), Some(url.as_str()), Some(config));
            let article =
                whole.ok().and_then(|mut whole| whole.parse_with_policy(ParsePolicy::Raw).ok());
            (article, true)
        }
    };
    let some = |text: Option<String>| text.map(|text| clean(&text)).filter(|text| !text.is_empty());
    let page = match article {
        Some(article) => Page {
            title: some(Some(article.title)),
            byline: some(article.byline),
            site: some(article.site_name),
            published: some(article.published_time),
            markdown: clean(&article.text_content),
            is_whole,
        },
        None => Page { markdown: clean(&document.md(None)), is_whole: true, ..Page::default() },
    };
    if page.title.is_some() {
        return Ok(page);
    }
    let title = document.select_single("title").text().to_string();
    Ok(Page { title: some(Some(title)), ..page })
}

/// Parses a page in small pieces, so that a hostile one is noticed before it fills the memory.
fn parse(html: &str) -> Result<Document, String> {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    let mut parser = html5ever::parse_document(Document::default(), options);
    // Each element of a deeply nested page is compared with all that are open.
    let started = Instant::now();
    let mut rest = html;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(PARSED_BYTES.min(rest.len())));
        parser.process(StrTendril::from(piece));
        rest = after;
        if started.elapsed() > MAX_PARSE_TIME {
            let limit = MAX_PARSE_TIME.as_secs();
            return Err(format!("parsing the page takes longer than {limit} s"));
        }
        if parser.tokenizer.sink.sink.tree.len() > MAX_PAGE_NODES {
            return Err(format!("the page has more than {MAX_PAGE_NODES} elements and texts"));
        }
    }
    Ok(parser.finish())
}

fn check_depth(document: &Document) -> Result<(), String> {
    let mut nodes: Vec<(NodeRef<'_>, usize)> = vec![(document.root(), 0)];
    while let Some((node, depth)) = nodes.pop() {
        if depth > MAX_PAGE_DEPTH {
            return Err(format!("the page is nested more than {MAX_PAGE_DEPTH} levels deep"));
        }
        nodes.extend(node.children_it(false).map(|child| (child, depth + 1)));
    }
    Ok(())
}

/// The text without characters that a reader does not see and a model does.
fn clean(text: &str) -> String {
    let is_hidden = |c: char| {
        matches!(c,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
            || c.is_control() && c != '\n' && c != '\t'
    };
    text.chars().filter(|c| !is_hidden(*c)).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> Result<Page, String> {
        convert(html, &Url::parse("https://example.com/docs/").unwrap())
    }

    fn article() -> String {
        let paragraph = "<p>A paragraph with enough words, and commas, to be taken for the content \
                         of the page by anyone who looks for it.</p>";
        format!(
            "<html><head><title>How to fish</title></head><body><nav><a href=/x>Home</a></nav><main>\
             <article><h1>How to fish</h1>{}<p>See <a href='lure.html'>lures</a> and <code>x &lt; 1</code>.\
             </p><ul><li>one<li>two</ul><pre><code>fn main() {{}}</code></pre></article></main>\
             <script>evil()</script><footer>Imprint</footer></body></html>",
            paragraph.repeat(8)
        )
    }

    #[test]
    fn the_content_is_kept_with_its_links() {
        let page = page(&article()).unwrap();
        assert_eq!(page.title.as_deref(), Some("How to fish"));
        let text = &page.markdown;
        assert!(text.contains("[lures](https://example.com/docs/lure.html)"), "{text}");
        assert!(text.contains("fn main() {}") && text.contains("one"), "{text}");
        assert!(!text.contains("evil()") && !page.is_whole, "{text}");
    }

    #[test]
    fn short_pages_are_kept_whole() {
        let page = page("<title>T</title><p>Hello <b>you</b>").unwrap();
        assert!(page.markdown.contains("Hello **you**"), "{page:?}");
        assert_eq!(page.title.as_deref(), Some("T"));
        for odd in ["", "<", "plain", "<table><tr><td>x", "\u{0}<p>\u{0}"] {
            convert(odd, &Url::parse("http://a/").unwrap()).unwrap();
        }
    }

    #[test]
    fn hidden_characters_are_removed() {
        let hidden = "\u{e0049}\u{e0067}\u{200b}\u{202e}a\u{7}";
        assert_eq!(page(&format!("<p>x{hidden}b</p>")).unwrap().markdown, "xab");
    }

    #[test]
    fn hostile_pages_end_in_time_and_memory() {
        let started = std::time::Instant::now();
        let deep = "<div>".repeat(2 * MAX_PAGE_DEPTH);
        assert!(page(&deep).unwrap_err().contains("levels deep"));
        let deeper = "<table><div>".to_owned() + &"<div>".repeat(190_000);
        assert!(page(&deeper).unwrap_err().contains("takes longer"));
        let lists = "<ul><li>".repeat(20_000);
        assert!(page(&lists).is_err());
        let formatting: String = (0..20_000).map(|n| format!("<b id={n}>")).collect();
        let paragraphs = "<p>".repeat(20_000);
        // Whichever of the limits is reached first.
        assert!(page(&format!("{formatting}{paragraphs}")).is_err());
        assert!(page(&"x".repeat(MAX_PAGE_BYTES + 1)).is_err());
        let tables = "<table><a>".repeat(5_000);
        let _ = page(&tables);
        let wide = format!("<p>{}", "<a href=x>y</a> ".repeat(40_000));
        page(&wide).unwrap();
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }
}
