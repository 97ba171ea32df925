//! Conversions between our types and the protocol's. Positions are converted nowhere else.

use std::ops::Range as Span;

use syntax::OutlineKind;
use text::{PositionEncoding, Text};
use tower_lsp_server::ls_types::{
    Documentation, MarkupContent, MarkupKind, Position, PositionEncodingKind, Range, SymbolKind,
    TextDocumentContentChangeEvent, Uri,
};
use workspace::DefinitionKind;

pub(crate) fn position_to_lsp(position: text::Position) -> Position {
    Position { line: position.line, character: position.character }
}

pub(crate) fn position_from_lsp(position: Position) -> text::Position {
    text::Position::new(position.line, position.character)
}

pub(crate) fn range_from_lsp(range: Range) -> text::Range {
    text::Range { start: position_from_lsp(range.start), end: position_from_lsp(range.end) }
}

pub(crate) fn range_to_lsp(text: &Text, span: Span<usize>, encoding: PositionEncoding) -> Range {
    let range = text.range(span, encoding);
    Range { start: position_to_lsp(range.start), end: position_to_lsp(range.end) }
}

pub(crate) fn change_from_lsp(change: TextDocumentContentChangeEvent) -> text::ContentChange {
    let range = change.range.map(range_from_lsp);
    text::ContentChange { range, text: change.text }
}

pub(crate) fn encoding_to_lsp(encoding: PositionEncoding) -> PositionEncodingKind {
    match encoding {
        PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
        PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
        PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
    }
}

/// The first encoding the client offers that we support. UTF-16, the protocol's default, if none.
pub(crate) fn negotiate_encoding(offered: Option<&[PositionEncodingKind]>) -> PositionEncoding {
    let known = |kind: &PositionEncodingKind| match kind.as_str() {
        "utf-8" => Some(PositionEncoding::Utf8),
        "utf-16" => Some(PositionEncoding::Utf16),
        "utf-32" => Some(PositionEncoding::Utf32),
        _ => None,
    };
    offered.and_then(|kinds| kinds.iter().find_map(known)).unwrap_or_default()
}

/// Parses a URI that came from a client or from a path. `None` if it is not a URI.
pub(crate) fn uri_to_lsp(uri: &str) -> Option<Uri> {
    uri.parse().ok()
}

pub(crate) fn definition_kind(kind: DefinitionKind) -> SymbolKind {
    use DefinitionKind as K;
    match kind {
        K::Module | K::Import => SymbolKind::MODULE,
        K::Namespace => SymbolKind::NAMESPACE,
        K::Class | K::TypeAlias => SymbolKind::CLASS,
        K::Struct => SymbolKind::STRUCT,
        K::Interface | K::Trait => SymbolKind::INTERFACE,
        K::Enum => SymbolKind::ENUM,
        K::EnumMember => SymbolKind::ENUM_MEMBER,
        K::TypeParameter => SymbolKind::TYPE_PARAMETER,
        K::Function | K::Macro => SymbolKind::FUNCTION,
        K::Method => SymbolKind::METHOD,
        K::Constructor => SymbolKind::CONSTRUCTOR,
        K::Field => SymbolKind::FIELD,
        K::Constant => SymbolKind::CONSTANT,
        K::Variable | K::Parameter | K::Label => SymbolKind::VARIABLE,
    }
}

pub(crate) fn symbol_kind(kind: OutlineKind) -> SymbolKind {
    match kind {
        OutlineKind::Class | OutlineKind::Type => SymbolKind::CLASS,
        OutlineKind::Constant => SymbolKind::CONSTANT,
        OutlineKind::Constructor => SymbolKind::CONSTRUCTOR,
        OutlineKind::Enum => SymbolKind::ENUM,
        OutlineKind::EnumMember => SymbolKind::ENUM_MEMBER,
        OutlineKind::Field => SymbolKind::FIELD,
        OutlineKind::Function | OutlineKind::Macro => SymbolKind::FUNCTION,
        OutlineKind::Impl => SymbolKind::OBJECT,
        OutlineKind::Interface | OutlineKind::Trait => SymbolKind::INTERFACE,
        OutlineKind::Method => SymbolKind::METHOD,
        OutlineKind::Module => SymbolKind::MODULE,
        OutlineKind::Namespace => SymbolKind::NAMESPACE,
        OutlineKind::Property => SymbolKind::PROPERTY,
        OutlineKind::Struct => SymbolKind::STRUCT,
        OutlineKind::Variable => SymbolKind::VARIABLE,
    }
}

/// Documentation as Markdown if the client supports it, else as plain text.
pub(crate) fn documentation_to_lsp(
    found: &workspace::Documentation,
    markdown: bool,
) -> Documentation {
    match markdown {
        true => Documentation::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: found.markdown(),
        }),
        false => Documentation::String(found.text.clone()),
    }
}
