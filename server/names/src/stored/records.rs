//! The encoding of each record type.

use super::coder::{Coder, Reader, Writer};
use crate::expression::{Expression, Value};
use crate::facts::{Branch, Def, Extension, Glob, NONE, Narrowing, Ref, ReferenceRole, Scope};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Fields of earlier records, as bases for the next.
#[derive(Default)]
pub(super) struct PreviousFields {
    number: u32,
    start: u32,
    scope: u32,
    body: u32,
    owner: u32,
    call: u32,
    list: u32,
    /// Sets of small numbers, in order of first occurrence.
    sets: Vec<[u32; 3]>,
}

impl PreviousFields {
    /// Codes small numbers that often occur together as one number.
    fn set(&mut self, coder: &mut impl Coder, set: &mut [u32; 3]) {
        let known = self.sets.iter().position(|s| s == set).unwrap_or(self.sets.len());
        let mut number = known as u32;
        coder.number(&mut number);
        match self.sets.get(number as usize) {
            Some(known) => *set = *known,
            None => {
                if number as usize != self.sets.len() {
                    coder.fail();
                }
                set.iter_mut().for_each(|n| coder.number(n));
                self.sets.push(*set);
            }
        }
    }
}

/// A record type of the facts.
pub(super) trait Record: Copy {
    /// The value that a [`Reader`] fills in.
    const BLANK: Self;

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields);
}

pub(super) fn write_all<R: Record>(records: &[R], writer: &mut Writer) {
    writer.number(&mut (records.len() as u32));
    let mut before = PreviousFields::default();
    for (n, record) in records.iter().enumerate() {
        before.number = n as u32;
        record.clone().code(writer, &mut before);
    }
}

pub(super) fn read_all<R: Record>(reader: &mut Reader<'_>) -> Option<Box<[R]>> {
    let count = reader.count()?;
    let mut records = Vec::with_capacity(count);
    let mut before = PreviousFields::default();
    for n in 0..count {
        before.number = n as u32;
        let mut record = R::BLANK;
        record.code(reader, &mut before);
        if reader.has_failed() {
            return None;
        }
        records.push(record);
    }
    Some(records.into())
}

/// An enum variant by its number.
fn variant_by_number<T: Copy>(all: &[T], number: u32, coder: &mut impl Coder) -> T {
    all.get(number as usize).copied().unwrap_or_else(|| {
        coder.fail();
        all[0]
    })
}

impl Record for Scope {
    const BLANK: Self =
        Self { kind: ScopeKind::ALL[0], parent: 0, start: 0, end: 0, owner: 0, subject: Value(0) };

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        let mut kind = self.kind as u32;
        coder.number(&mut kind);
        self.kind = variant_by_number(ScopeKind::ALL, kind, coder);
        coder.optional_delta(before.number, &mut self.parent);
        coder.delta(before.start, &mut self.start);
        coder.delta(self.start, &mut self.end);
        coder.optional_delta(before.owner, &mut self.owner);
        coder.value(&mut self.subject);
        before.start = self.start;
        if self.owner != NONE {
            before.owner = self.owner;
        }
    }
}

impl Record for Def {
    const BLANK: Self = Self {
        name: 0,
        kind: DefinitionKind::ALL[0],
        namespace: Namespace(0),
        flags: Flags(0),
        scope: 0,
        name_start: 0,
        name_end: 0,
        start: 0,
        end: 0,
        visible_from: 0,
        body: 0,
        value: Value(0),
        supertypes: 0,
    };

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        let mut set = [self.kind as u32, u32::from(self.namespace.0), self.flags.0];
        before.set(coder, &mut set);
        self.kind = variant_by_number(DefinitionKind::ALL, set[0], coder);
        self.namespace = Namespace(set[1] as u8);
        self.flags = Flags(set[2]);
        coder.number(&mut self.name);
        coder.optional_delta(before.scope, &mut self.scope);
        coder.delta(before.start, &mut self.name_start);
        coder.delta(self.name_start, &mut self.name_end);
        coder.delta(self.name_start, &mut self.start);
        coder.delta(self.name_end, &mut self.end);
        // Visible everywhere, or from somewhere after the name.
        let mut from = if self.visible_from == 0 { NONE } else { self.visible_from };
        coder.optional_delta(self.name_end, &mut from);
        self.visible_from = if from == NONE { 0 } else { from };
        coder.optional_delta(before.body, &mut self.body);
        coder.value(&mut self.value);
        coder.optional_delta(before.list, &mut self.supertypes);
        (before.start, before.scope) = (self.name_start, self.scope);
        if self.body != NONE {
            before.body = self.body;
        }
        if self.supertypes != NONE {
            before.list = self.supertypes;
        }
    }
}

const ROLES: [ReferenceRole; 6] = [
    ReferenceRole::Plain,
    ReferenceRole::Member,
    ReferenceRole::Keyword,
    ReferenceRole::Field,
    ReferenceRole::Root,
    ReferenceRole::Expected,
];

impl Record for Ref {
    const BLANK: Self = Self {
        name: 0,
        start: 0,
        end: 0,
        scope: 0,
        receiver: Value(0),
        namespace: Namespace(0),
        role: ReferenceRole::Plain,
        call: 0,
    };

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        let mut set = [self.role as u32, u32::from(self.namespace.0), 0];
        before.set(coder, &mut set);
        self.role = variant_by_number(&ROLES, set[0], coder);
        self.namespace = Namespace(set[1] as u8);
        coder.number(&mut self.name);
        coder.delta(before.start, &mut self.start);
        coder.delta(self.start, &mut self.end);
        coder.delta(before.scope, &mut self.scope);
        coder.last_values().reference = before.number;
        coder.value(&mut self.receiver);
        coder.optional_delta(before.call, &mut self.call);
        (before.start, before.scope) = (self.start, self.scope);
        if self.call != NONE {
            before.call = self.call;
        }
    }
}

impl Record for Value {
    const BLANK: Self = Self(0);

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        // The first word of a list is its length.
        if before.list == 0 {
            coder.number(&mut self.0);
            before.list = self.0;
        } else {
            coder.value(self);
            before.list -= 1;
        }
    }
}

impl Record for (u32, Value) {
    const BLANK: Self = (0, Value(0));

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        coder.delta(before.scope, &mut self.0);
        coder.value(&mut self.1);
        before.scope = self.0;
    }
}

impl Record for (u32, u32) {
    const BLANK: Self = (0, 0);

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        coder.delta(before.start, &mut self.0);
        coder.delta(self.0, &mut self.1);
        before.start = self.0;
    }
}

impl Record for Glob {
    const BLANK: Self = Self { scope: 0, module: Value(0), exported: false };

    fn code(&mut self, coder: &mut impl Coder, _: &mut PreviousFields) {
        coder.number(&mut self.scope);
        coder.value(&mut self.module);
        let mut exported = u32::from(self.exported);
        coder.number(&mut exported);
        self.exported = exported != 0;
    }
}

impl Record for Extension {
    const BLANK: Self = Self { scope: 0, name: 0, target: Value(0), interface: Value(0) };

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        coder.delta(before.scope, &mut self.scope);
        coder.optional_delta(0, &mut self.name);
        coder.value(&mut self.target);
        coder.value(&mut self.interface);
        before.scope = self.scope;
    }
}

impl Record for Branch {
    const BLANK: Self = Self { first: 0, start: 0, end: 0, condition: 0 };

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        coder.delta(before.start, &mut self.start);
        let mut back = self.start.wrapping_sub(self.first);
        coder.number(&mut back);
        self.first = self.start.wrapping_sub(back);
        coder.delta(self.start, &mut self.end);
        coder.optional_delta(0, &mut self.condition);
        before.start = self.start;
    }
}

impl Record for Narrowing {
    const BLANK: Self = Self { name: 0, start: 0, end: 0, ty: Value(0) };

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        coder.optional_delta(0, &mut self.name);
        coder.delta(before.start, &mut self.start);
        coder.delta(self.start, &mut self.end);
        coder.value(&mut self.ty);
        before.start = self.start;
    }
}

/// The kind of an operand of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandKind {
    Value,
    List,
    Scope,
    /// A scope with a flag in its highest bit.
    Module,
    Definition,
    /// A name or a plain number.
    Number,
}

impl Record for Expression {
    const BLANK: Self = Self::Nothing;

    fn code(&mut self, coder: &mut impl Coder, before: &mut PreviousFields) {
        let (mut tag, mut words) = self.operands();
        coder.number(&mut tag);
        coder.last_values().expression = before.number;
        for (word, of) in words.iter_mut().zip(operand_kinds(tag)) {
            match of {
                OperandKind::Value => {
                    let mut value = Value(*word);
                    coder.value(&mut value);
                    *word = value.0;
                }
                OperandKind::List => {
                    coder.optional_delta(before.list, word);
                    if *word != NONE {
                        before.list = *word;
                    }
                }
                OperandKind::Scope => {
                    coder.delta(before.scope, word);
                    before.scope = *word;
                }
                OperandKind::Module => {
                    *word = word.rotate_left(1);
                    coder.number(word);
                    *word = word.rotate_right(1);
                }
                OperandKind::Definition => {
                    coder.delta(before.owner, word);
                    before.owner = *word;
                }
                OperandKind::Number => coder.optional_delta(0, word),
            }
        }
        match Self::from_operands(tag, words) {
            Some(read) => *self = read,
            None => coder.fail(),
        }
    }
}

/// The operand kinds of an expression, by its tag.
fn operand_kinds(tag: u32) -> &'static [OperandKind] {
    use OperandKind as W;
    match tag {
        2 | 3 | 14 | 18 => &[W::Value, W::List],
        4 | 5 | 32 => &[W::Value, W::Number],
        6 => &[W::Value, W::Value, W::Number],
        12 | 15 | 23 | 35 => &[W::List],
        16 | 17 | 24 | 25 | 26 => &[W::Scope],
        27 => &[W::Number, W::Number],
        28 => &[W::Scope, W::Number],
        30 => &[W::Module],
        31 => &[W::Number, W::Value],
        33 => &[W::Definition],
        34 => &[W::Number],
        19..=22 | 29 => &[],
        _ => &[W::Value],
    }
}

impl Expression {
    /// The operands with their kinds.
    pub(super) fn operands_with_kinds(self) -> impl Iterator<Item = (OperandKind, u32)> {
        let (tag, words) = self.operands();
        operand_kinds(tag).iter().copied().zip(words)
    }

    /// The tag and operands of an expression. The numbers are part of the format.
    fn operands(self) -> (u32, [u32; 3]) {
        match self {
            Self::Same(v) => (0, [v.0, 0, 0]),
            Self::Typed(v) => (1, [v.0, 0, 0]),
            Self::Call(v, list) => (2, [v.0, list, 0]),
            Self::New(v, list) => (3, [v.0, list, 0]),
            Self::Field(v, name) => (4, [v.0, name, 0]),
            Self::Part(v, n) => (5, [v.0, n, 0]),
            Self::Case(v, w, n) => (6, [v.0, w.0, n]),
            Self::Index(v) => (7, [v.0, 0, 0]),
            Self::Slice(v) => (8, [v.0, 0, 0]),
            Self::Element(v) => (9, [v.0, 0, 0]),
            Self::Enter(v) => (10, [v.0, 0, 0]),
            Self::Await(v) => (11, [v.0, 0, 0]),
            Self::Tuple(list) => (12, [list, 0, 0]),
            Self::Array(v) => (13, [v.0, 0, 0]),
            Self::Generic(v, list) => (14, [v.0, list, 0]),
            Self::Union(list) => (15, [list, 0, 0]),
            Self::Object(scope) => (16, [scope, 0, 0]),
            Self::Lambda(scope) => (17, [scope, 0, 0]),
            Self::Function(v, list) => (18, [v.0, list, 0]),
            Self::Text => (19, [0; 3]),
            Self::Number => (20, [0; 3]),
            Self::Boolean => (21, [0; 3]),
            Self::Nothing => (22, [0; 3]),
            Self::Map(list) => (23, [list, 0, 0]),
            Self::This(scope) => (24, [scope, 0, 0]),
            Self::ThisType(scope) => (25, [scope, 0, 0]),
            Self::Super(scope) => (26, [scope, 0, 0]),
            Self::Module(name, up) => (27, [name, up, 0]),
            Self::LambdaParameter(scope, n) => (28, [scope, n, 0]),
            Self::Root => (29, [0; 3]),
            Self::Parent(scope) => (30, [scope, 0, 0]),
            Self::Binding(name, v) => (31, [name, v.0, 0]),
            Self::Argument(v, n) => (32, [v.0, n, 0]),
            Self::Defined(def) => (33, [def, 0, 0]),
            Self::Named(name) => (34, [name, 0, 0]),
            Self::Arithmetic(list) => (35, [list, 0, 0]),
        }
    }

    /// The expression with a tag and operands; `None` for an unknown tag.
    fn from_operands(tag: u32, [a, b, c]: [u32; 3]) -> Option<Self> {
        let v = Value(a);
        Some(match tag {
            0 => Self::Same(v),
            1 => Self::Typed(v),
            2 => Self::Call(v, b),
            3 => Self::New(v, b),
            4 => Self::Field(v, b),
            5 => Self::Part(v, b),
            6 => Self::Case(v, Value(b), c),
            7 => Self::Index(v),
            8 => Self::Slice(v),
            9 => Self::Element(v),
            10 => Self::Enter(v),
            11 => Self::Await(v),
            12 => Self::Tuple(a),
            13 => Self::Array(v),
            14 => Self::Generic(v, b),
            15 => Self::Union(a),
            16 => Self::Object(a),
            17 => Self::Lambda(a),
            18 => Self::Function(v, b),
            19 => Self::Text,
            20 => Self::Number,
            21 => Self::Boolean,
            22 => Self::Nothing,
            23 => Self::Map(a),
            24 => Self::This(a),
            25 => Self::ThisType(a),
            26 => Self::Super(a),
            27 => Self::Module(a, b),
            28 => Self::LambdaParameter(a, b),
            29 => Self::Root,
            30 => Self::Parent(a),
            31 => Self::Binding(a, Value(b)),
            32 => Self::Argument(v, b),
            33 => Self::Defined(a),
            34 => Self::Named(a),
            35 => Self::Arithmetic(a),
            _ => return None,
        })
    }
}
