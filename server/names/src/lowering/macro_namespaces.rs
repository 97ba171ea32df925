//! Macros that open and close namespaces.

use super::blank_macros::{MacroRegion, MacroRegionKind, MacroScanner};

impl MacroScanner<'_> {
    /// Whether the macro at a token opens a block (`true`) or closes one.
    pub(super) fn opens_or_closes_block(&self, i: usize) -> Option<bool> {
        let name = self.read.at(i);
        match self.read.braces.get(name) {
            Some(body) => Some(!body.starts_with('}')),
            None => opens_namespace(name),
        }
    }

    /// Handles a macro on its own that opens or closes a namespace.
    pub(super) fn handle_namespace_macro(&mut self, i: usize, starts: bool) -> Option<usize> {
        let token = self.read.all[i];
        let alone = self.read.at(i + 1) != "(" && starts && !self.now.inner;
        if !alone || self.now.parens > 0 {
            return None;
        }
        let body = self.read.braces.get(token.text).copied();
        let opens = self.opens_or_closes_block(i)?;
        let span = token.span();
        if !opens {
            if let Some(region) = self.open.pop() {
                self.aside.regions[region].end = span.start;
            }
        } else {
            let linkage = body.is_some_and(|b| b.starts_with("extern"));
            let kind = if linkage { MacroRegionKind::Linkage } else { MacroRegionKind::Namespace };
            self.open.push(self.aside.regions.len());
            self.aside.regions.push(MacroRegion { word: span, end: 0, kind });
        }
        self.blank_token(i);
        self.chained = i + 1;
        self.now.head = i + 1;
        Some(i + 1)
    }
}

/// Whether a macro's name says that it opens a namespace (`true`) or closes one.
fn opens_namespace(name: &str) -> Option<bool> {
    let mut parts = name.split('_');
    if !name.contains("NAMESPACE") && !parts.clone().any(|p| p == "NS") {
        return None;
    }
    parts.find_map(|part| match part {
        "BEGIN" | "OPEN" | "START" | "ENTER" => Some(true),
        "END" | "CLOSE" | "STOP" | "EXIT" | "LEAVE" => Some(false),
        _ => None,
    })
}
