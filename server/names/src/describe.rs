//! Hover: a name's kind, its signature as written, its documentation and its origin.

pub(crate) mod documentation;
mod signature;

use std::ops::Range;

use syntax::Language;
use text::Text;

use crate::dialect::Documentation;
use crate::expression::Value;
use crate::facts::{Definition, NameSite};
use crate::index::{FileId, Index};
use crate::name_path::FileSymbol;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::DefinitionKind;

/// Limit for the nesting of a rendered type.
const MAX_TYPE_DEPTH: u32 = 4;
/// Limit for a rendered type, in bytes.
const MAX_TYPE_LENGTH: usize = 400;

/// Hover information about a name.
#[derive(Debug, Clone, PartialEq)]
pub struct HoverInfo {
    /// The bytes of the name under the cursor.
    pub span: Range<usize>,
    /// The name in its definition.
    pub name: String,
    /// The kind of definition.
    pub kind: DefinitionKind,
    /// Its declaration as written, without its body.
    pub signature: Option<String>,
    /// Its documentation.
    pub documentation: Option<Documentation>,
    /// The type, namespace or function that contains it.
    pub container: Option<String>,
    /// Its inferred type, if the declaration does not state one.
    pub inferred_type: Option<String>,
    /// The file that defines it.
    pub file: FileId,
    /// The bytes of the name in that file.
    pub name_span: Range<usize>,
    /// The rule by which it was resolved.
    pub origin: Origin,
    /// How certain the resolution is, from 0 to 1.
    pub confidence: f32,
    /// How many other definitions the name may refer to.
    pub other_count: usize,
}

impl FileSymbol {
    /// Its declaration as written, without its body. `text` must be the text that its spans refer
    /// to.
    #[must_use]
    pub fn signature(&self, text: &Text, language: Language) -> Option<String> {
        let definition = Definition {
            name: &self.name,
            kind: self.kind,
            span: self.span.clone(),
            name_span: self.name_span.clone(),
            container: None,
            exported: true,
        };
        signature::declaration_text(text, &definition, language.id())
    }
}

impl Index {
    /// Hover information about the name at a byte offset. `text` returns the text of an indexed
    /// file.
    #[must_use]
    pub fn hover(
        &self,
        file: FileId,
        offset: usize,
        text: &dyn Fn(FileId) -> Option<Text>,
    ) -> Option<HoverInfo> {
        let facts = self.facts(file)?;
        let site = facts.site_at(offset)?;
        let span = facts.name_at(offset)?.span;
        let resolver = Resolver::new(self);
        let targets = self.definition(file, offset);
        let target = targets.first()?;
        let id = self.definition_at(target.file, &target.name_span)?;
        let target_facts = self.facts(id.file)?;
        let def = &target_facts.definitions[id.def as usize];
        let source = text(id.file);
        let language = target_facts.language().id();
        let is_module = id.def == 0;
        let signature = source.as_ref().filter(|_| !is_module).and_then(|source| {
            signature::declaration_text(source, &target_facts.definition(id.def), language)
        });
        let documentation = source.as_ref().and_then(|source| {
            if is_module {
                return documentation::of_file(source, language);
            }
            documentation::of_definition(source, &target_facts.definition(id.def), language)
        });
        let ty = match site {
            NameSite::Reference(r) => resolver.type_of_value(file, Value::reference(r)),
            NameSite::Definition(_) => resolver.type_of_definition(id),
        };
        let holds_value = matches!(
            def.kind,
            DefinitionKind::Variable
                | DefinitionKind::Constant
                | DefinitionKind::Parameter
                | DefinitionKind::Field
        );
        let inferred = (holds_value && target.origin != Origin::External)
            .then(|| resolver.type_text(&ty, MAX_TYPE_DEPTH))
            .flatten()
            .map(|ty| match language {
                "python" => ty.replace('<', "[").replace('>', "]"),
                _ => ty,
            })
            .filter(|t| t.len() <= MAX_TYPE_LENGTH);
        let definition = target_facts.definition(id.def);
        Some(HoverInfo {
            span,
            name: if is_module { self.file_stem(id.file) } else { definition.name.to_owned() },
            kind: def.kind,
            signature,
            documentation,
            container: definition.container.map(str::to_owned),
            inferred_type: inferred,
            file: id.file,
            name_span: definition.name_span,
            origin: target.origin,
            confidence: target.confidence,
            other_count: targets.len() - 1,
        })
    }

    /// The definition whose name has these bytes.
    pub(crate) fn definition_at(&self, file: FileId, name: &Range<usize>) -> Option<DefId> {
        let facts = self.facts(file)?;
        if name.is_empty() {
            return Some(DefId { file, def: 0 });
        }
        let at = |d: &u32| facts.definitions[*d as usize].name_start as usize;
        let first = facts.by_place.partition_point(|d| at(d) < name.start);
        let all = facts.by_place[first..].iter().take_while(|d| at(d) == name.start);
        let mut all = all.filter(|d| {
            let def = &facts.definitions[**d as usize];
            def.name_end as usize == name.end
        });
        all.next().map(|&def| DefId { file, def })
    }

    fn file_stem(&self, file: FileId) -> String {
        let path = self.files.get(&file).map_or("", |e| &e.path);
        let name = path.rsplit('/').next().unwrap_or(path);
        name.split('.').next().unwrap_or(name).to_owned()
    }
}

impl Resolver<'_> {
    /// A type as it would be written in code; `None` if too little is known.
    pub(crate) fn type_text(&self, ty: &Ty, depth: u32) -> Option<String> {
        if depth == 0 {
            return Some("…".to_owned());
        }
        let name = |id: &DefId| {
            let facts = self.facts(id.file);
            let name = facts.strings.text(self.def(*id).name);
            (!name.is_empty()).then(|| name.to_owned())
        };
        let arguments = |name: String, all: &[Ty]| {
            let all: Option<Vec<_>> = all.iter().map(|t| self.type_text(t, depth - 1)).collect();
            match all {
                Some(all) if !all.is_empty() => format!("{name}<{}>", all.join(", ")),
                _ => name,
            }
        };
        match ty {
            Ty::Type(id, args) | Ty::Instance(id, args) => Some(arguments(name(id)?, args)),
            Ty::Named(name, args) => Some(arguments(name.to_string(), args)),
            Ty::Parameter(id) => name(id),
            Ty::Array(element) => Some(format!("{}[]", self.type_text(element, depth - 1)?)),
            Ty::Tuple(all) => {
                let all: Option<Vec<_>> =
                    all.iter().map(|t| self.type_text(t, depth - 1)).collect();
                Some(format!("({})", all?.join(", ")))
            }
            Ty::Union(all) => {
                let all: Option<Vec<_>> =
                    all.iter().map(|t| self.type_text(t, depth - 1)).collect();
                let mut all = all?;
                all.dedup();
                Some(all.join(" | "))
            }
            _ => None,
        }
    }
}
