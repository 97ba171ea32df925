//! The words that each part of the facts is stored as.

use super::{Record, Words};
use crate::expression::{Expression, Value};
use crate::facts::{Def, Extension, Glob, Narrowing, Ref, Role, Scope};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

impl Record for u32 {
    const WORDS: usize = 1;

    fn put(&self, put: &mut impl FnMut(u32)) {
        put(*self);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        Some(words.at(0))
    }
}

impl Record for Value {
    const WORDS: usize = 1;

    fn put(&self, put: &mut impl FnMut(u32)) {
        put(self.0);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        Some(Self(words.at(0)))
    }
}

impl Record for (u32, Value) {
    const WORDS: usize = 2;

    fn put(&self, put: &mut impl FnMut(u32)) {
        [self.0, self.1.0].into_iter().for_each(put);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        Some((words.at(0), Value(words.at(1))))
    }
}

impl Record for (u32, u32) {
    const WORDS: usize = 2;

    fn put(&self, put: &mut impl FnMut(u32)) {
        [self.0, self.1].into_iter().for_each(put);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        Some((words.at(0), words.at(1)))
    }
}

impl Record for Scope {
    const WORDS: usize = 6;

    fn put(&self, put: &mut impl FnMut(u32)) {
        let kind = self.kind as u32;
        let words = [kind, self.parent, self.start, self.end, self.owner, self.subject.0];
        words.into_iter().for_each(put);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        Some(Self {
            kind: *ScopeKind::ALL.get(words.at(0) as usize)?,
            parent: words.at(1),
            start: words.at(2),
            end: words.at(3),
            owner: words.at(4),
            subject: Value(words.at(5)),
        })
    }
}

impl Record for Def {
    const WORDS: usize = 12;

    fn put(&self, put: &mut impl FnMut(u32)) {
        let words = [
            self.name,
            self.kind as u32 | u32::from(self.namespace.0) << 8,
            self.flags.0,
            self.scope,
            self.name_start,
            self.name_end,
            self.start,
            self.end,
            self.from,
            self.body,
            self.value.0,
            self.supers,
        ];
        words.into_iter().for_each(put);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        let [kind, namespace, 0, 0] = words.at(1).to_le_bytes() else { return None };
        Some(Self {
            name: words.at(0),
            kind: *DefinitionKind::ALL.get(usize::from(kind))?,
            namespace: Namespace(namespace),
            flags: Flags(words.at(2)),
            scope: words.at(3),
            name_start: words.at(4),
            name_end: words.at(5),
            start: words.at(6),
            end: words.at(7),
            from: words.at(8),
            body: words.at(9),
            value: Value(words.at(10)),
            supers: words.at(11),
        })
    }
}

const ROLES: [Role; 6] =
    [Role::Plain, Role::Member, Role::Keyword, Role::Field, Role::Root, Role::Expected];

impl Record for Ref {
    const WORDS: usize = 7;

    fn put(&self, put: &mut impl FnMut(u32)) {
        let words = [
            self.name,
            self.start,
            self.end,
            self.scope,
            self.receiver.0,
            self.role as u32 | u32::from(self.namespace.0) << 8,
            self.call,
        ];
        words.into_iter().for_each(put);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        let [role, namespace, 0, 0] = words.at(5).to_le_bytes() else { return None };
        Some(Self {
            name: words.at(0),
            start: words.at(1),
            end: words.at(2),
            scope: words.at(3),
            receiver: Value(words.at(4)),
            namespace: Namespace(namespace),
            role: *ROLES.get(usize::from(role))?,
            call: words.at(6),
        })
    }
}

impl Record for Glob {
    const WORDS: usize = 3;

    fn put(&self, put: &mut impl FnMut(u32)) {
        [self.scope, self.module.0, u32::from(self.exported)].into_iter().for_each(put);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        let (scope, module) = (words.at(0), Value(words.at(1)));
        Some(Self { scope, module, exported: words.at(2) != 0 })
    }
}

impl Record for Extension {
    const WORDS: usize = 4;

    fn put(&self, put: &mut impl FnMut(u32)) {
        [self.scope, self.name, self.target.0, self.interface.0].into_iter().for_each(put);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        Some(Self {
            scope: words.at(0),
            name: words.at(1),
            target: Value(words.at(2)),
            interface: Value(words.at(3)),
        })
    }
}

impl Record for Narrowing {
    const WORDS: usize = 4;

    fn put(&self, put: &mut impl FnMut(u32)) {
        [self.name, self.start, self.end, self.ty.0].into_iter().for_each(put);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        let (name, start, end) = (words.at(0), words.at(1), words.at(2));
        Some(Self { name, start, end, ty: Value(words.at(3)) })
    }
}

impl Record for Expression {
    const WORDS: usize = 4;

    fn put(&self, put: &mut impl FnMut(u32)) {
        let words = match *self {
            Self::Same(v) => [0, v.0, 0, 0],
            Self::Typed(v) => [1, v.0, 0, 0],
            Self::Call(v, list) => [2, v.0, list, 0],
            Self::New(v, list) => [3, v.0, list, 0],
            Self::Field(v, name) => [4, v.0, name, 0],
            Self::Part(v, n) => [5, v.0, n, 0],
            Self::Case(v, w, n) => [6, v.0, w.0, n],
            Self::Index(v) => [7, v.0, 0, 0],
            Self::Slice(v) => [8, v.0, 0, 0],
            Self::Element(v) => [9, v.0, 0, 0],
            Self::Enter(v) => [10, v.0, 0, 0],
            Self::Await(v) => [11, v.0, 0, 0],
            Self::Tuple(list) => [12, list, 0, 0],
            Self::Array(v) => [13, v.0, 0, 0],
            Self::Generic(v, list) => [14, v.0, list, 0],
            Self::Union(list) => [15, list, 0, 0],
            Self::Object(scope) => [16, scope, 0, 0],
            Self::Lambda(scope) => [17, scope, 0, 0],
            Self::Function(v, list) => [18, v.0, list, 0],
            Self::Text => [19, 0, 0, 0],
            Self::Number => [20, 0, 0, 0],
            Self::Boolean => [21, 0, 0, 0],
            Self::Nothing => [22, 0, 0, 0],
            Self::Map(list) => [23, list, 0, 0],
            Self::This(scope) => [24, scope, 0, 0],
            Self::ThisType(scope) => [25, scope, 0, 0],
            Self::Super(scope) => [26, scope, 0, 0],
            Self::Module(name, up) => [27, name, up, 0],
            Self::LambdaParameter(scope, n) => [28, scope, n, 0],
            Self::Root => [29, 0, 0, 0],
            Self::Parent(scope) => [30, scope, 0, 0],
            Self::Binding(name, v) => [31, name, v.0, 0],
            Self::Argument(v, n) => [32, v.0, n, 0],
            Self::Defined(def) => [33, def, 0, 0],
            Self::Named(name) => [34, name, 0, 0],
        };
        words.into_iter().for_each(put);
    }

    fn take(words: &Words<'_>) -> Option<Self> {
        let (a, b, c) = (words.at(1), words.at(2), words.at(3));
        let v = Value(a);
        Some(match words.at(0) {
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
            _ => return None,
        })
    }
}
