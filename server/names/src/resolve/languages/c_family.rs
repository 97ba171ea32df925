//! C and C++.

use super::LanguageRules;
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolution, Resolver};
use crate::vocabulary::{Flags, Namespace, ScopeKind};

/// C, or C++.
pub(super) struct CFamily {
    pub(super) keywords: &'static str,
}

pub(super) const C: CFamily = CFamily { keywords: C_KEYWORDS };
pub(super) const CPP: CFamily = CFamily { keywords: CPP_KEYWORDS };

impl LanguageRules for CFamily {
    /// A name that no include leads to: the only definition that a linker could bind it to.
    fn around_file(
        &self,
        resolver: &Resolver<'_>,
        _file: FileId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let fits = |id: &DefId| {
            let def = resolver.def(*id);
            let facts = resolver.facts(id.file);
            matches!(facts.language.id(), "c" | "cpp")
                && facts.is_reachable(id.def)
                && (def.namespace.has(namespace))
                && facts.scopes[def.scope as usize].kind == ScopeKind::File
                && !def.flags.has(Flags::LOCAL_FILE)
        };
        let all: Vec<DefId> = resolver.definitions_named(name).filter(fits).collect();
        let same_kind = all.windows(2).all(|w| resolver.def(w[0]).kind == resolver.def(w[1]).kind);
        let bodies = all.iter().filter(|id| !resolver.def(**id).flags.has(Flags::DECLARED)).count();
        if all.is_empty() || !same_kind || bodies > 1 {
            return Vec::new();
        }
        all.into_iter().map(|id| Resolution { id, origin: Origin::UniqueName }).collect()
    }

    fn takes_unique_members(&self) -> bool {
        true
    }

    fn keywords(&self) -> &'static str {
        self.keywords
    }

    fn allows_dollar(&self) -> bool {
        true
    }

    fn fixes_name(&self, name: &str, is_member: bool) -> bool {
        !is_member && name == "main"
    }
}

/// Words of C that are no names.
const C_KEYWORDS: &str = "\
    auto break case char const continue default do double else enum extern float for goto if \
    inline int long register restrict return short signed sizeof static struct switch typedef \
    union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex _Generic \
    _Imaginary _Noreturn _Static_assert _Thread_local bool true false nullptr alignas alignof \
    constexpr static_assert thread_local typeof";

/// Words of C++ that are no names.
const CPP_KEYWORDS: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t \
    char32_t class compl concept const consteval constexpr constinit const_cast continue \
    co_await co_return co_yield decltype default delete do double dynamic_cast else enum \
    explicit export extern false float for friend goto if inline int long mutable namespace new \
    noexcept not not_eq nullptr operator or or_eq private protected public register \
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct \
    switch template this thread_local throw true try typedef typeid typename union unsigned \
    using virtual void volatile wchar_t while xor xor_eq final override";
