//! Tools about the supported languages.

mod lang_detect;
mod lang_list;

pub(crate) use lang_detect::LangDetect;
pub(crate) use lang_list::LangList;
