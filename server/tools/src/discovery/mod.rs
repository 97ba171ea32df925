//! Tools past a short list: `find_tools` finds them, `call_tool` calls them.

mod call_tool;
mod find_tools;
mod tool_index;

use std::any::TypeId;

pub(crate) use self::tool_index::ToolIndex;
use crate::session::FamilyStates;
use crate::{Entry, Tool};

/// The tool that calls other tools. `resolve` unwraps its calls before they are dispatched.
pub const CALL_TOOL: &str = call_tool::CallTool::NAME;

/// The tool that finds other tools.
pub(crate) const FIND_TOOLS: &str = find_tools::FindTools::NAME;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![Entry::new::<find_tools::FindTools>(), Entry::new::<call_tool::CallTool>()]
}

/// The family's state.
pub(crate) fn states(tools: &'static [Entry], states: &mut FamilyStates) {
    states.insert(TypeId::of::<ToolIndex>(), Box::new(ToolIndex::new(tools)));
}
