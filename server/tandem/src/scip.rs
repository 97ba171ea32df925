//! Writes the index in SCIP format: <https://github.com/scip-code/scip>.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use ::scip::symbol::format_symbol;
use ::scip::types::descriptor::Suffix;
use ::scip::types::{
    Descriptor, Document, Index, Metadata, Occurrence, Package, PositionEncoding, Symbol,
    SymbolInformation, SymbolRole, TextEncoding, ToolInfo, symbol_information::Kind,
};
use protobuf::{EnumOrUnknown, Message};
use text::PositionEncoding as Encoding;
use workspace::{DefinitionId, DefinitionKind, FileOccurrences, NamesIndex, QueryError, Snapshot};

/// Statistics of the export.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ScipExport {
    pub(crate) documents: usize,
    pub(crate) occurrences: usize,
    /// Uncertain references, which are not exported.
    pub(crate) left_out: usize,
}

/// Writes the index one document at a time: concatenated protobuf messages are merged when read.
pub(crate) fn write(snapshot: &Snapshot, file: File) -> Result<ScipExport, String> {
    let mut out = BufWriter::new(file);
    let mut put = |index: &Index| {
        let bytes = index.write_to_bytes().map_err(|e| e.to_string())?;
        out.write_all(&bytes).map_err(|e| e.to_string())
    };
    let root = snapshot.roots().first().map(|root| root.path()).ok_or("no workspace folder")?;
    put(&Index { metadata: Some(metadata(root)).into(), ..Index::default() })?;
    let mut written = ScipExport::default();
    let never = AtomicBool::new(false);
    snapshot
        .for_each_file_occurrences(&never, |index, file| {
            let document = document(index, &file);
            written.documents += 1;
            written.occurrences += document.occurrences.len();
            written.left_out += file.unsure;
            put(&Index { documents: vec![document], ..Index::default() }).map_err(Failed)
        })
        .map_err(|Failed(why)| why)?;
    out.flush().map_err(|e| e.to_string())?;
    Ok(written)
}

struct Failed(String);

impl From<QueryError> for Failed {
    fn from(error: QueryError) -> Self {
        Self(error.to_string())
    }
}

fn metadata(root: &Path) -> Metadata {
    let tool = ToolInfo {
        name: "tandem".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..ToolInfo::default()
    };
    Metadata {
        tool_info: Some(tool).into(),
        project_root: workspace::uri_of_path(root),
        text_document_encoding: EnumOrUnknown::new(TextEncoding::UTF8),
        ..Metadata::default()
    }
}

fn document(index: &NamesIndex, file: &FileOccurrences) -> Document {
    let mut symbols = Vec::new();
    let mut known = HashSet::new();
    let mut locals = HashMap::new();
    let mut occurrences = Vec::with_capacity(file.occurrences.len());
    for found in &file.occurrences {
        let Some(symbol) = symbol(index, file, found.definition, &mut locals) else { continue };
        let range = file.text.range(found.span.clone(), Encoding::Utf8);
        let mut place = vec![range.start.line, range.start.character];
        if range.end.line != range.start.line {
            place.push(range.end.line);
        }
        place.push(range.end.character);
        let role = if found.is_definition { SymbolRole::Definition as i32 } else { 0 };
        if found.is_definition
            && known.insert(symbol.clone())
            && let Some((name, kind)) =
                index.qualified_name(found.definition).and_then(|q| q.parts.last().copied())
        {
            symbols.push(SymbolInformation {
                symbol: symbol.clone(),
                display_name: name.to_owned(),
                kind: EnumOrUnknown::new(kind_of(kind)),
                ..SymbolInformation::default()
            });
        }
        occurrences.push(Occurrence {
            range: place.into_iter().map(u32::cast_signed).collect(),
            symbol,
            symbol_roles: role,
            ..Occurrence::default()
        });
    }
    Document {
        language: file.language.to_owned(),
        relative_path: file.path.clone(),
        occurrences,
        symbols,
        position_encoding: EnumOrUnknown::new(PositionEncoding::UTF8CodeUnitOffsetFromLineStart),
        ..Document::default()
    }
}

/// The symbol of a definition: global, by path and names, if it is exported; else local to its file.
/// `None` for another file's local.
fn symbol(
    index: &NamesIndex,
    file: &FileOccurrences,
    id: DefinitionId,
    locals: &mut HashMap<DefinitionId, usize>,
) -> Option<String> {
    let name = index.qualified_name(id)?;
    if !name.exported {
        let next = locals.len();
        let number = *locals.entry(id).or_insert(next);
        return (id.file == file.file).then(|| format_symbol(Symbol::new_local(number)));
    }
    let descriptor = |name: &str, suffix| Descriptor {
        name: name.to_owned(),
        suffix: EnumOrUnknown::new(suffix),
        ..Descriptor::default()
    };
    let folders = name.path.split('/').map(|part| descriptor(part, Suffix::Namespace));
    let parts = name.parts.iter().map(|(part, kind)| descriptor(part, suffix_of(*kind)));
    let symbol = Symbol {
        scheme: "tandem".to_owned(),
        package: Some(Package::default()).into(),
        descriptors: folders.chain(parts).collect(),
        ..Symbol::default()
    };
    Some(format_symbol(symbol))
}

fn suffix_of(kind: DefinitionKind) -> Suffix {
    use DefinitionKind as K;
    match kind {
        K::Module | K::Namespace => Suffix::Namespace,
        K::TypeParameter => Suffix::TypeParameter,
        K::Parameter => Suffix::Parameter,
        K::Function | K::Method | K::Constructor => Suffix::Method,
        K::Macro => Suffix::Macro,
        kind if kind.is_type() => Suffix::Type,
        _ => Suffix::Term,
    }
}

fn kind_of(kind: DefinitionKind) -> Kind {
    use DefinitionKind as K;
    match kind {
        K::Module | K::Import => Kind::Module,
        K::Namespace => Kind::Namespace,
        K::Class => Kind::Class,
        K::Struct => Kind::Struct,
        K::Interface => Kind::Interface,
        K::Trait => Kind::Trait,
        K::Enum => Kind::Enum,
        K::EnumMember => Kind::EnumMember,
        K::TypeAlias => Kind::TypeAlias,
        K::TypeParameter => Kind::TypeParameter,
        K::Function => Kind::Function,
        K::Method => Kind::Method,
        K::Constructor => Kind::Constructor,
        K::Field => Kind::Field,
        K::Constant => Kind::Constant,
        K::Parameter => Kind::Parameter,
        K::Macro => Kind::Macro,
        K::Variable | K::Label => Kind::Variable,
    }
}
