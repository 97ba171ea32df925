//! Which words are valid identifiers, by language.

/// Why a word is not a valid identifier; `None` if it is.
pub(crate) fn invalid_reason(name: &str, language: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.len() > 400 {
        return Some("it is too long");
    }
    let dollar = matches!(language, "javascript" | "typescript" | "tsx" | "java" | "c" | "cpp");
    let (first, rest) = match name.strip_prefix('#') {
        Some(rest) if matches!(language, "javascript" | "typescript" | "tsx") => {
            (rest.chars().next(), rest)
        }
        _ => (name.chars().next(), name),
    };
    let can_start = |c: char| c == '_' || c.is_alphabetic() || c == '$' && dollar;
    if !first.is_some_and(can_start) {
        return Some("a name can_start with a letter or an underscore");
    }
    if !rest.chars().all(|c| can_start(c) || c.is_alphanumeric() || is_mark(c)) {
        return Some("a name has letters, digits and underscores only");
    }
    if keywords(language).split_ascii_whitespace().any(|k| k == name) {
        return Some("it is a keyword of the language");
    }
    (name == "_").then_some("`_` is not a name")
}

/// Combining marks, which letters of some scripts consist of.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{93a}'..='\u{94f}' | '\u{200c}' | '\u{200d}')
}

fn keywords(language: &str) -> &'static str {
    match language {
        "python" => {
            "False None True and as assert async await break class continue def del elif else \
             except finally for from global if import in is lambda nonlocal not or pass raise \
             return try while with yield"
        }
        "javascript" | "typescript" | "tsx" => {
            "await break case catch class const continue debugger default delete do else enum \
             export extends false finally for function if implements import in instanceof \
             interface let new null package private protected public return static super switch \
             this throw true try typeof undefined var void while with yield arguments eval"
        }
        "rust" => {
            "as async await break const continue crate dyn else enum extern false fn for gen if \
             impl in let loop match mod move mut pub ref return self Self static struct super \
             trait true type unsafe use where while abstract become box do final macro override \
             priv try typeof unsized virtual yield"
        }
        "go" => {
            "break case chan const continue default defer else fallthrough for func go goto if \
             import interface map package range return select struct switch type var nil true \
             false iota init main"
        }
        "java" => {
            "abstract assert boolean break byte case catch char class const continue default do \
             double else enum extends final finally float for goto if implements import \
             instanceof int interface long native new package private protected public return \
             short static strictfp super switch synchronized this throw throws transient try void \
             volatile while true false null var record yield sealed permits"
        }
        "c" => C_KEYWORDS,
        "cpp" => CPP_KEYWORDS,
        _ => "",
    }
}

const C_KEYWORDS: &str = "auto break case char const continue default do double else enum extern float for \
                 goto if inline int long register restrict return short signed sizeof static \
                 struct switch typedef union unsigned void volatile while _Alignas _Alignof \
                 _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert \
                 _Thread_local bool true false nullptr alignas alignof constexpr static_assert \
                 thread_local typeof";

const CPP_KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char \
                   char8_t char16_t char32_t class compl concept const consteval constexpr \
                   constinit const_cast continue co_await co_return co_yield decltype default \
                   delete do double dynamic_cast else enum explicit export extern false float for \
                   friend goto if inline int long mutable namespace new noexcept not not_eq \
                   nullptr operator or or_eq private protected public register reinterpret_cast \
                   requires return short signed sizeof static static_assert static_cast struct \
                   switch template this thread_local throw true try typedef typeid typename union \
                   unsigned using virtual void volatile wchar_t while xor xor_eq final override";

/// Why a name was not chosen by a person and so cannot be renamed; `None` if it was.
pub(super) fn fixed_reason(name: &str, language: &str, is_member: bool) -> Option<&'static str> {
    if keywords(language).split_ascii_whitespace().any(|k| k == name) {
        return Some("it is a keyword of the language");
    }
    let special = match language {
        "python" => name.starts_with("__") && name.ends_with("__") && name.len() > 4,
        "javascript" | "typescript" | "tsx" => is_member && name == "constructor",
        "go" => {
            !is_member && matches!(name, "main" | "init")
                || is_member && GO_INTERFACES.split_ascii_whitespace().any(|known| known == name)
        }
        "rust" | "c" | "cpp" => !is_member && name == "main",
        "java" => is_member && matches!(name, "main" | "toString" | "equals" | "hashCode"),
        _ => false,
    };
    if special {
        return Some("the language or its library uses this name");
    }
    let plain = name.strip_prefix('#').unwrap_or(name);
    let is_plain = plain.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$' || is_mark(c));
    (!is_plain).then_some("it is not a plain identifier")
}

/// Methods that Go's standard packages call through interfaces.
const GO_INTERFACES: &str = "String Error Read Write Close Len Less Swap Push Pop ServeHTTP Seek \
                             ReadAt WriteAt ReadFrom WriteTo ReadByte WriteByte ReadRune \
                             UnreadByte UnreadRune WriteString MarshalJSON UnmarshalJSON \
                             MarshalText UnmarshalText MarshalBinary UnmarshalBinary Format \
                             GoString Scan Value Unwrap Is As Lock Unlock RoundTrip Open Stat \
                             Name Size Mode ModTime IsDir Sys Error Timeout Temporary Set Get \
                             Sum Reset BlockSize Done Deadline Err Exported MarshalYAML \
                             UnmarshalYAML Int63 Seed Uint64 Handle Enabled WithAttrs WithGroup";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_checked_by_language() {
        for (name, language, can) in [
            ("a_1", "python", true),
            ("1a", "python", false),
            ("größe", "python", true),
            ("class", "python", false),
            ("match", "python", true),
            ("a b", "go", false),
            ("$x", "typescript", true),
            ("$x", "rust", false),
            ("#x", "javascript", true),
            ("#x", "java", false),
            ("Self", "rust", false),
            ("final", "cpp", false),
            ("final", "c", true),
            ("", "c", false),
            ("_", "go", false),
            ("नाम", "rust", true),
        ] {
            assert_eq!(invalid_reason(name, language).is_none(), can, "{name} {language}");
        }
    }
}
