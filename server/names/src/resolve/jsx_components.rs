//! JSX components: the attributes they accept are the fields of their first parameter.

use super::{DefId, Resolution, Resolver, Ty};
use crate::complete::GatheredNames;
use crate::expression::{Expression, Value};
use crate::facts::{NONE, Ref};
use crate::fuzzy::FuzzyPattern;
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Namespace};

/// Depth limit between a component and the function or type that declares its props.
const MAX_DEPTH: u32 = 6;

/// Limit of the attribute names collected.
const MAX_RESULTS: usize = 600;

/// What is known of a component's props.
enum ComponentProps {
    /// The members of a type.
    Type(Ty),
    /// Only the names by which the function destructures its parameter.
    Names(Vec<DefId>),
    Unknown,
}

impl<'i> Resolver<'i> {
    /// The definitions of an attribute of a component.
    pub(super) fn jsx_attribute(
        &self,
        file: FileId,
        component: Value,
        name: &str,
    ) -> Vec<Resolution> {
        let mut found: Vec<Resolution> = Vec::new();
        for takes in self.component_props(file, component) {
            match takes {
                ComponentProps::Type(ty) => {
                    found.extend(self.members_named(&ty, name, Namespace::VALUE))
                }
                ComponentProps::Names(all) => {
                    let own = all.into_iter().filter(|id| self.name_of(*id) == name);
                    found.extend(own.map(|id| Resolution { id, origin: Origin::Argument }));
                }
                ComponentProps::Unknown => {}
            }
        }
        found.sort_by_key(|f| f.id);
        found.dedup_by_key(|f| f.id);
        found
    }

    /// The names of all attributes that a component accepts.
    pub(super) fn jsx_attribute_names(&self, file: FileId, component: Value) -> Vec<&'i str> {
        let all = FuzzyPattern::new("");
        let mut names = GatheredNames::new(file, &all, MAX_RESULTS);
        let mut own: Vec<&'i str> = Vec::new();
        for takes in self.component_props(file, component) {
            match takes {
                ComponentProps::Type(ty) => self.gather_members(&ty, &mut names),
                ComponentProps::Names(all) => {
                    own.extend(all.into_iter().map(|id| self.name_of(id)))
                }
                ComponentProps::Unknown => {}
            }
        }
        own.extend(names.iter());
        own
    }

    /// Whether an attribute belongs to a component of the project whose props are unknown.
    pub(crate) fn has_unknown_props(&self, file: FileId, reference: &Ref) -> bool {
        if !matches!(self.language(file), "javascript" | "typescript" | "tsx") {
            return false;
        }
        let all = self.component_props(file, reference.receiver);
        all.is_empty() && !matches!(self.type_of_value(file, reference.receiver), Ty::External)
            || all.iter().any(|t| matches!(t, ComponentProps::Unknown))
    }

    fn name_of(&self, id: DefId) -> &'i str {
        self.facts(id.file).strings.text(self.def(id).name)
    }

    fn component_props(&self, file: FileId, component: Value) -> Vec<ComponentProps> {
        let mut out = Vec::new();
        self.props_of_targets(file, component, MAX_DEPTH, &mut out);
        out
    }

    fn props_of_targets(
        &self,
        file: FileId,
        value: Value,
        depth: u32,
        out: &mut Vec<ComponentProps>,
    ) {
        for found in self.value_targets(file, value) {
            for found in self.follow_import(found) {
                if found.origin != Origin::External {
                    self.props_of_definition(found.id, depth, out);
                }
            }
        }
    }

    /// Adds the props of a function, class or variable.
    fn props_of_definition(&self, id: DefId, depth: u32, out: &mut Vec<ComponentProps>) {
        let def = self.def(id);
        let facts = self.facts(id.file);
        match def.kind {
            _ if depth == 0 => {}
            kind if kind.is_callable() => out.push(self.first_parameter_props(id.file, def.body)),
            DefinitionKind::Class => {
                // `extends Component<Props>`
                let above = facts.list(def.supertypes).iter();
                let props = above.filter_map(|&above| match self.expression(id.file, above) {
                    Some(Expression::Generic(_, list)) => facts.list(list).first().copied(),
                    _ => None,
                });
                let before = out.len();
                out.extend(props.map(|ty| self.props_of_type(id.file, ty, MAX_DEPTH)));
                if out.len() == before {
                    out.push(ComponentProps::Unknown);
                }
            }
            kind if !kind.is_type() => self.props_of_value(id.file, def.value, depth - 1, out),
            _ => {}
        }
    }

    /// The props of the function that a value is or wraps: `memo(Component)`.
    fn props_of_value(
        &self,
        file: FileId,
        value: Value,
        depth: u32,
        out: &mut Vec<ComponentProps>,
    ) {
        if depth == 0 {
            return;
        }
        let facts = self.facts(file);
        match self.expression(file, value) {
            Some(Expression::Same(inner)) => self.props_of_value(file, inner, depth, out),
            Some(Expression::Typed(ty)) => out.push(self.props_of_annotation(file, ty, depth)),
            Some(Expression::Lambda(scope)) => out.push(self.first_parameter_props(file, scope)),
            Some(Expression::Call(callee, list)) => {
                if let Some(Expression::Generic(base, types)) = self.expression(file, callee) {
                    out.extend(self.props_argument(file, base, types));
                } else if let Some(&first) = facts.list(list).first() {
                    self.props_of_value(file, first, depth - 1, out);
                } else {
                    out.push(ComponentProps::Unknown);
                }
            }
            Some(Expression::Union(list)) => {
                for &each in facts.list(list) {
                    self.props_of_value(file, each, depth - 1, out);
                }
            }
            Some(_) => out.push(ComponentProps::Unknown),
            None if value.as_reference().is_some() => {
                self.props_of_targets(file, value, depth - 1, out);
            }
            None => out.push(ComponentProps::Unknown),
        }
    }

    /// The props of a component with a declared type: `FC<Props>`, `(props: Props) => Element`.
    fn props_of_annotation(&self, file: FileId, ty: Value, depth: u32) -> ComponentProps {
        let unknown = || match self.type_of_value(file, ty) {
            Ty::Signature(_, parameters) => {
                parameters.first().cloned().map_or(ComponentProps::Unknown, props_from_type)
            }
            _ => ComponentProps::Unknown,
        };
        match self.expression(file, ty) {
            Some(Expression::Generic(base, list)) => {
                self.props_argument(file, base, list).unwrap_or(ComponentProps::Unknown)
            }
            Some(Expression::Function(_, list)) => {
                let first = self.facts(file).list(list).first().copied();
                first.map_or(ComponentProps::Unknown, |ty| self.props_of_type(file, ty, MAX_DEPTH))
            }
            Some(Expression::Same(inner)) if depth > 0 => {
                self.props_of_annotation(file, inner, depth - 1)
            }
            None if depth > 0 => {
                let found = self.value_targets(file, ty);
                let alias = found.iter().flat_map(|f| self.follow_import(*f)).find(|f| {
                    f.origin != Origin::External && self.def(f.id).kind == DefinitionKind::TypeAlias
                });
                match alias {
                    Some(f) => self.props_of_annotation(f.id.file, self.def(f.id).value, depth - 1),
                    None => unknown(),
                }
            }
            _ => unknown(),
        }
    }

    /// The type argument that holds the props: the second one of `forwardRef<Element, Props>`,
    /// whose first is the type of the ref.
    fn props_argument(&self, file: FileId, base: Value, list: u32) -> Option<ComponentProps> {
        let facts = self.facts(file);
        let named = base.as_reference().map(|r| facts.references[r as usize].name);
        let ref_first = named.is_some_and(|n| facts.strings.text(n).to_lowercase().contains("ref"));
        let types = facts.list(list);
        let props = types.get(usize::from(ref_first)).or(types.first())?;
        Some(self.props_of_type(file, *props, MAX_DEPTH))
    }

    /// The members of a type; for an unknown generic type, those of its first argument
    /// (`PropsWithChildren<Props>`).
    fn props_of_type(&self, file: FileId, ty: Value, depth: u32) -> ComponentProps {
        let takes = props_from_type(self.type_of_value(file, ty));
        match (self.expression(file, ty), &takes) {
            (Some(Expression::Generic(_, list)), ComponentProps::Unknown) if depth > 0 => {
                let first = self.facts(file).list(list).first().copied();
                first.map_or(ComponentProps::Unknown, |ty| self.props_of_type(file, ty, depth - 1))
            }
            _ => takes,
        }
    }

    /// The props that a function's first parameter declares.
    fn first_parameter_props(&self, file: FileId, scope: u32) -> ComponentProps {
        if scope == NONE {
            return ComponentProps::Unknown;
        }
        let facts = self.facts(file);
        let own = facts.all_in_scope(scope).iter().copied();
        let mut own: Vec<u32> = own
            .filter(|&d| facts.definitions[d as usize].kind == DefinitionKind::Parameter)
            .collect();
        own.sort_by_key(|&d| facts.definitions[d as usize].name_start);
        let Some(&first) = own.first() else { return ComponentProps::Names(Vec::new()) };
        let part_of =
            |d: u32| self.destructured_value(file, facts.definitions[d as usize].value, 4);
        match part_of(first) {
            Some(whole) => match self.declared_props(file, whole) {
                ComponentProps::Unknown => {
                    let id = |def: u32| DefId { file, def };
                    let all = own.into_iter().filter(|&d| part_of(d) == Some(whole));
                    ComponentProps::Names(all.map(id).collect())
                }
                takes => takes,
            },
            None => {
                let value = facts.definitions[first as usize].value;
                match self.declared_props(file, value) {
                    ComponentProps::Unknown => {
                        props_from_type(self.type_of_definition(DefId { file, def: first }))
                    }
                    takes => takes,
                }
            }
        }
    }

    /// The declared type of a value as props.
    fn declared_props(&self, file: FileId, value: Value) -> ComponentProps {
        match self.expression(file, value) {
            Some(Expression::Same(inner)) => self.declared_props(file, inner),
            Some(Expression::Typed(ty)) => self.props_of_type(file, ty, MAX_DEPTH),
            _ => props_from_type(self.type_of_value(file, value)),
        }
    }

    /// The value that a name of a destructuring pattern is a part of.
    fn destructured_value(&self, file: FileId, value: Value, depth: u32) -> Option<Value> {
        match self.expression(file, value)? {
            Expression::Field(whole, _) => Some(whole),
            Expression::Union(list) if depth > 0 => {
                let first = self.facts(file).list(list).first().copied()?;
                self.destructured_value(file, first, depth - 1)
            }
            _ => None,
        }
    }

    pub(super) fn expression(&self, file: FileId, value: Value) -> Option<Expression> {
        self.facts(file).expressions.get(value.as_expression()? as usize).copied()
    }
}

fn props_from_type(ty: Ty) -> ComponentProps {
    match ty {
        Ty::Unknown | Ty::External | Ty::Named(..) => ComponentProps::Unknown,
        ty => ComponentProps::Type(ty.instance()),
    }
}
