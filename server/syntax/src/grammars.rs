//! The grammar and the queries of each entry of the languages table.

use tree_sitter::Language as Grammar;

/// What cannot stand in a data file: compiled parsers and embedded query texts.
pub(crate) struct Compiled {
    pub(crate) id: &'static str,
    pub(crate) grammar: fn() -> Grammar,
    pub(crate) outline: &'static str,
    pub(crate) bindings: &'static str,
    pub(crate) links: &'static str,
}

/// `id, folder in queries/, grammar`.
macro_rules! compiled {
    ($($id:literal, $folder:literal, $grammar:expr;)*) => {
        &[$(Compiled {
            id: $id,
            grammar: || $grammar.into(),
            outline: include_str!(concat!("../../../queries/", $folder, "/outline.scm")),
            bindings: include_str!(concat!("../../../queries/", $folder, "/bindings.scm")),
            links: include_str!(concat!("../../../queries/", $folder, "/links.scm")),
        }),*]
    };
}

pub(crate) static COMPILED: &[Compiled] = compiled! {
    "c", "c", tree_sitter_c::LANGUAGE;
    "cpp", "cpp", tree_sitter_cpp::LANGUAGE;
    "go", "go", tree_sitter_go::LANGUAGE;
    "java", "java", tree_sitter_java::LANGUAGE;
    "javascript", "javascript", tree_sitter_javascript::LANGUAGE;
    "python", "python", tree_sitter_python::LANGUAGE;
    "rust", "rust", tree_sitter_rust::LANGUAGE;
    "tsx", "typescript", tree_sitter_typescript::LANGUAGE_TSX;
    "typescript", "typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
};
