//! The effects of calls that act on the open page.

use tools::{Context, Effect};
use web::Target;

use crate::browser::BrowserState;

/// The host of the open page.
fn of_page(context: &Context<'_>, tool: &str) -> Option<Effect> {
    let browser = context.session.family::<BrowserState>().running(tool).ok()?;
    let url = browser.pages.with(|pages| pages.current().map(|page| page.url.clone()))?;
    Some(Target::parse(tool, &url).ok()?.endpoint.effect())
}

/// The effects of an action that a user of the page could do, too. In the browser that was started here none: its
/// hosts were approved, and it knows no accounts. In a joined one, each needs approval.
pub(crate) fn of_action(context: &Context<'_>, tool: &str) -> Vec<Effect> {
    let browser = context.session.family::<BrowserState>().running(tool);
    let Some(joined) = browser.ok().and_then(|browser| browser.joined.clone()) else {
        return Vec::new();
    };
    let effect = of_page(context, tool).unwrap_or_else(|| Effect::network(joined));
    vec![effect.with_detail("in a browser with your own accounts")]
}

/// The effects of a script: it can send anything to the page's host.
pub(crate) fn of_script(context: &Context<'_>, tool: &str, script: &str) -> Vec<Effect> {
    let detail = format!("run in the page:\n{script}");
    of_page(context, tool).map(|effect| effect.with_detail(detail)).into_iter().collect()
}

/// The effects of choosing files in a page, which can send them to its host.
pub(crate) fn of_upload(context: &Context<'_>, tool: &str, paths: &[String]) -> Vec<Effect> {
    let detail = format!("give the page these files: {}", paths.join(", "));
    of_page(context, tool).map(|effect| effect.with_detail(detail)).into_iter().collect()
}
