//! What each language decides about names: a room a language, and the table of them.
//!
//! Code outside of a room asks [`rules`] instead of comparing language ids, so that a language without a room cannot be
//! taken for another one. More decisions move here from `match`es on ids; new ones start here.

mod c_family;
mod ecma;
mod go;
mod java;
mod kotlin;
pub(crate) mod php;
mod python;
mod rust;

use crate::expression::Value;
use crate::facts::Ref;
use crate::index::FileId;
use crate::resolve::{DefId, Resolution, Resolver, Ty};
use crate::vocabulary::Namespace;

/// What a language decides about names. Every method has the answer of a language that has nothing of the kind.
pub(crate) trait LanguageRules: Sync {
    /// The meaning of a plain name at the start of a path that no scope defines: a crate or a package.
    fn path_root(&self, _resolver: &Resolver<'_>, _file: FileId, _name: &str) -> Ty {
        Ty::Unknown
    }

    /// The definitions of a plain name that no scope of the file defines: those of its package, its crate, its includes,
    /// or of the whole program.
    fn around_file(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _name: &str,
        _namespace: Namespace,
    ) -> Vec<Resolution> {
        Vec::new()
    }

    /// Whether a type's name is a word for the type that encloses it.
    fn is_enclosing_type(&self, _name: &str) -> bool {
        false
    }

    /// Where a plain name is looked up that means nothing in `namespace`.
    fn next_namespace(&self, _namespace: Namespace) -> Option<Namespace> {
        None
    }

    /// The files whose top-level names a file sees without importing them.
    fn files_around<'i>(&self, _resolver: &Resolver<'i>, _file: FileId) -> &'i [FileId] {
        &[]
    }

    /// Words that are no names, with blanks between them.
    fn keywords(&self) -> &'static str {
        ""
    }

    /// Whether a word is no name.
    fn is_keyword(&self, word: &str) -> bool {
        self.keywords().split_ascii_whitespace().any(|keyword| keyword == word)
    }

    /// Whether names may contain `$`.
    fn allows_dollar(&self) -> bool {
        false
    }

    /// Whether the language or its library gives a name its meaning, so that it cannot be renamed.
    fn fixes_name(&self, _name: &str, _is_member: bool) -> bool {
        false
    }

    /// Whether the only member of a name in the workspace is meant where the receiver is of an unknown type. Where
    /// receivers are often of libraries' types, it is not.
    fn takes_unique_members(&self) -> bool {
        false
    }

    /// Whether generic types that no file defines keep their names and arguments.
    fn is_predefined_generic(&self) -> bool {
        false
    }

    /// The names by which code in other languages of the family uses a member: accessors of properties.
    fn names_elsewhere(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// Whether a type test establishes types that no file defines, too.
    fn narrows_to_any_type(&self) -> bool {
        false
    }

    /// The type of `this` in a scope, or of a scope's members, if the language has rules of its own.
    fn this_type(&self, _resolver: &Resolver<'_>, _file: FileId, _scope: u32) -> Option<Ty> {
        None
    }

    /// The value whose members a lambda sees as plain names.
    fn implicit_receiver(&self, _resolver: &Resolver<'_>, _file: FileId, _scope: u32) -> Ty {
        Ty::Unknown
    }

    /// What a member access means that no member of the type is: functions that extend the type.
    fn extension_members(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _reference: &Ref,
        _ty: &Ty,
        _name: &str,
    ) -> Vec<Resolution> {
        Vec::new()
    }

    /// The type of a call of a function that no file defines.
    fn library_call(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _callee: Value,
        _list: u32,
    ) -> Option<Ty> {
        None
    }

    /// The type of a member of a type that no file defines.
    fn library_member(&self, _of: &Ty, _name: &str) -> Option<Ty> {
        None
    }

    /// The type of the n-th parameter of a lambda, by what the lambda is passed to.
    fn lambda_parameter(
        &self,
        _resolver: &Resolver<'_>,
        _file: FileId,
        _scope: u32,
        _n: u32,
    ) -> Option<Ty> {
        None
    }

    /// The type of the n-th part of a destructured value.
    fn part_type(&self, _resolver: &Resolver<'_>, _whole: &Ty, _n: u32) -> Option<Ty> {
        None
    }

    /// The type that an iteration over a value yields.
    fn element_type(&self, _resolver: &Resolver<'_>, _of: &Ty) -> Option<Ty> {
        None
    }

    /// What a function returns that an operator or construct calls by its name.
    fn operator_type(&self, _resolver: &Resolver<'_>, _of: &Ty, _operator: &str) -> Option<Ty> {
        None
    }

    /// The parameters of a class's constructor that is a part of the class's head.
    fn constructor_parameters(&self, _resolver: &Resolver<'_>, _class: DefId) -> Vec<DefId> {
        Vec::new()
    }
}

/// The rules of a language by its id. One without a room has none.
pub(crate) fn rules(language: &str) -> &'static dyn LanguageRules {
    match language {
        "c" => &c_family::C,
        "cpp" => &c_family::CPP,
        "javascript" | "typescript" | "tsx" => &ecma::Ecma,
        "go" => &go::Go,
        "java" => &java::Java,
        "kotlin" => &kotlin::Kotlin,
        "php" => &php::Php,
        "python" => &python::Python,
        "rust" => &rust::Rust,
        _ => &NoRoom,
    }
}

/// Whether names of one language can refer to definitions of the other (language ids).
#[must_use]
pub fn is_same_language_family(a: &str, b: &str) -> bool {
    fn family(language: &str) -> &str {
        match language {
            "javascript" | "typescript" | "tsx" => "ecma",
            "c" | "cpp" => "c",
            "java" | "kotlin" => "jvm",
            language => language,
        }
    }
    family(a) == family(b)
}

struct NoRoom;

impl LanguageRules for NoRoom {}
