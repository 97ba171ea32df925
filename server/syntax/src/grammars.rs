//! The compiled parser of each entry of the languages table; function pointers cannot be in a data
//! file.

use tree_sitter::Language as Grammar;

/// A language id and the function that returns its grammar.
type GrammarEntry = (&'static str, fn() -> Grammar);

macro_rules! grammars {
    ($($(#[$condition:meta])? $id:literal, $grammar:expr;)*) => {
        &[$($(#[$condition])? ($id, || $grammar.into())),*]
    };
}

/// Language ids and their grammars. Files in a language that a build leaves out are plain text.
pub(crate) static GRAMMARS: &[GrammarEntry] = grammars! {
    "bash", tree_sitter_bash::LANGUAGE;
    "c", tree_sitter_c::LANGUAGE;
    "cpp", tree_sitter_cpp::LANGUAGE;
    #[cfg(feature = "languages")]
    "csharp", tree_sitter_c_sharp::LANGUAGE;
    "css", tree_sitter_css::LANGUAGE;
    "dockerfile", tree_sitter_containerfile::LANGUAGE;
    #[cfg(feature = "languages")]
    "elixir", tree_sitter_elixir::LANGUAGE;
    "go", tree_sitter_go::LANGUAGE;
    "graphql", tree_sitter_graphql::LANGUAGE;
    #[cfg(feature = "languages")]
    "haskell", tree_sitter_haskell::LANGUAGE;
    "html", tree_sitter_html::LANGUAGE;
    "java", tree_sitter_java::LANGUAGE;
    "javascript", tree_sitter_javascript::LANGUAGE;
    "json", tree_sitter_json::LANGUAGE;
    "json5", tree_sitter_json::LANGUAGE;
    "jsonc", tree_sitter_json::LANGUAGE;
    "jsonl", tree_sitter_json::LANGUAGE;
    #[cfg(feature = "languages")]
    "kotlin", tree_sitter_kotlin_ng::LANGUAGE;
    "lua", tree_sitter_lua::LANGUAGE;
    "make", tree_sitter_make::LANGUAGE;
    "markdown", tree_sitter_md::LANGUAGE;
    "markdown_inline", tree_sitter_md::INLINE_LANGUAGE;
    "nix", tree_sitter_nix::LANGUAGE;
    #[cfg(feature = "languages")]
    "ocaml", tree_sitter_ocaml::LANGUAGE_OCAML;
    #[cfg(feature = "languages")]
    "ocaml_interface", tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE;
    "php", tree_sitter_php::LANGUAGE_PHP;
    "proto", tree_sitter_proto::LANGUAGE;
    "python", tree_sitter_python::LANGUAGE;
    "regex", tree_sitter_regex::LANGUAGE;
    "ruby", tree_sitter_ruby::LANGUAGE;
    "rust", tree_sitter_rust::LANGUAGE;
    #[cfg(feature = "languages")]
    "scala", tree_sitter_scala::LANGUAGE;
    "scss", tree_sitter_scss::language();
    #[cfg(feature = "languages")]
    "sql", tree_sitter_sequel::LANGUAGE;
    #[cfg(feature = "languages")]
    "swift", tree_sitter_swift::LANGUAGE;
    "toml", tree_sitter_toml_ng::LANGUAGE;
    "tsx", tree_sitter_typescript::LANGUAGE_TSX;
    "typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
    "xml", tree_sitter_xml::LANGUAGE_XML;
    "yaml", tree_sitter_yaml::LANGUAGE;
    #[cfg(feature = "languages")]
    "zig", tree_sitter_zig::LANGUAGE;
};
