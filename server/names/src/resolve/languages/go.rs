//! Go.

use super::LanguageRules;
use crate::index::FileId;
use crate::origin::Origin;
use crate::project::{Module, parent};
use crate::resolve::{Resolution, Resolver};
use crate::vocabulary::Namespace;

pub(super) struct Go;

impl LanguageRules for Go {
    fn around_file(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let module = Module::Folder(parent(resolver.project().path(file)).into());
        resolver.folder_members(&module, Some(file), name, namespace, Origin::Package)
    }

    fn files_around<'i>(&self, resolver: &Resolver<'i>, file: FileId) -> &'i [FileId] {
        resolver.project().in_folder(parent(resolver.path(file)))
    }

    fn keywords(&self) -> &'static str {
        KEYWORDS
    }

    fn narrows_to_any_type(&self) -> bool {
        true
    }

    fn fixes_name(&self, name: &str, is_member: bool) -> bool {
        !is_member && matches!(name, "main" | "init")
            || is_member && LIBRARY_METHODS.split_ascii_whitespace().any(|known| known == name)
    }
}

/// Words that are no names.
const KEYWORDS: &str = "\
    break case chan const continue default defer else fallthrough for func go goto if import \
    interface map package range return select struct switch type var nil true false iota init \
    main";

/// Methods that Go's standard packages call through interfaces.
const LIBRARY_METHODS: &str = "\
    String Error Read Write Close Len Less Swap Push Pop ServeHTTP Seek ReadAt WriteAt ReadFrom \
    WriteTo ReadByte WriteByte ReadRune UnreadByte UnreadRune WriteString MarshalJSON \
    UnmarshalJSON MarshalText UnmarshalText MarshalBinary UnmarshalBinary Format GoString Scan \
    Value Unwrap Is As Lock Unlock RoundTrip Open Stat Name Size Mode ModTime IsDir Sys Error \
    Timeout Temporary Set Get Sum Reset BlockSize Done Deadline Err Exported MarshalYAML \
    UnmarshalYAML Int63 Seed Uint64 Handle Enabled WithAttrs WithGroup";
