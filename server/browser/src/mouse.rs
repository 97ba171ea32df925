//! Elements that can be acted on, and the mouse.

use serde::Deserialize;
use serde_json::{Value, json};
use tools::{Code, ToolError};

use crate::call::Call;
use crate::target::Element;

/// What an element must be before it is acted on.
#[derive(Clone, Copy)]
pub(crate) struct Needs {
    pub(crate) enabled: bool,
    pub(crate) editable: bool,
    /// Whether it must get the mouse at the point.
    pub(crate) hit: bool,
}

impl Needs {
    pub(crate) const CLICK: Self = Self { enabled: true, editable: false, hit: true };
    pub(crate) const HOVER: Self = Self { enabled: false, editable: false, hit: true };
    pub(crate) const FILL: Self = Self { enabled: true, editable: true, hit: false };
}

#[derive(Deserialize)]
struct Point {
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    #[serde(default, rename = "inX")]
    in_x: f64,
    #[serde(default, rename = "inY")]
    in_y: f64,
    #[serde(default)]
    why: Option<String>,
    #[serde(default)]
    gone: bool,
}

impl Call<'_> {
    /// Waits until the element of a selector can be acted on; returns a point of it in the window.
    pub(crate) fn find_ready(
        &self,
        selector: &str,
        needs: Needs,
    ) -> Result<(Element, f64, f64), ToolError> {
        loop {
            let element = self.find(selector)?;
            let is_reference = matches!(
                crate::target::Selector::parse(self.tool, selector),
                Ok(crate::target::Selector::Reference(_))
            );
            let needs = json!({ "enabled": needs.enabled, "editable": needs.editable, "hit": needs.hit, "still": true });
            let time =
                u64::try_from(self.left().as_millis()).unwrap_or(u64::MAX).saturating_sub(50);
            let argument = json!({ "ref": element.reference, "needs": needs, "timeout": time });
            let point: Point = match self.run(&element.frame, "ready", &argument) {
                Ok(point) => point,
                Err(error) if error.is_stale() && !is_reference && !self.left().is_zero() => {
                    continue;
                }
                Err(error) => return Err(self.failed(&error)),
            };
            if point.gone {
                // A framework has replaced it.
                if is_reference || self.left().is_zero() {
                    return Err(self.gone());
                }
                continue;
            }
            if let Some(why) = point.why {
                let message = format!("{}: `{selector:.200}` cannot be acted on: {why}", self.tool);
                return Err(ToolError::new(Code::Timeout, message)
                    .hint("`browser_snapshot` or `browser_screenshot` shows the page; `timeout_ms` waits longer"));
            }
            if self.is_main(&element.frame) {
                return Ok((element, point.x, point.y));
            }
            let object = self.object(&element.frame, element.reference)?;
            let quads = self.command("DOM.getContentQuads", json!({ "objectId": object }))?;
            let corner = |at: usize| quads["quads"][0][at].as_f64().unwrap_or_default();
            return Ok((element, corner(0) + point.in_x, corner(1) + point.in_y));
        }
    }

    pub(crate) fn is_main(&self, frame: &str) -> bool {
        self.browser
            .pages
            .with(|pages| pages.page(&self.session).is_some_and(|page| page.frames.main == frame))
    }

    /// Sends an event of the mouse.
    pub(crate) fn mouse(&self, kind: &str, x: f64, y: f64, more: &Value) -> Result<(), ToolError> {
        let mut params = json!({ "type": kind, "x": x, "y": y });
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }
        self.input("Input.dispatchMouseEvent", params)
    }

    /// Clicks at a point.
    pub(crate) fn click_at(
        &self,
        x: f64,
        y: f64,
        button: &str,
        clicks: u64,
        modifiers: u64,
    ) -> Result<(), ToolError> {
        self.mouse("mouseMoved", x, y, &json!({ "modifiers": modifiers }))?;
        for count in 1..=clicks {
            for kind in ["mousePressed", "mouseReleased"] {
                // A dialog holds back the events after it.
                if self.open_dialog().is_some() {
                    return Ok(());
                }
                self.mouse(
                    kind,
                    x,
                    y,
                    &json!({ "button": button, "clickCount": count, "modifiers": modifiers }),
                )?;
            }
        }
        Ok(())
    }
}
