//! Tools about the supported languages.

mod lang_detect;
mod lang_list;

use tools::Entry;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![Entry::new::<lang_detect::LangDetect>(), Entry::new::<lang_list::LangList>()]
}
