//! JavaScript and TypeScript: modules, which only globals can enter from outside.

use crate::diagnose::DiagnosticsContext;
use crate::facts::{Ref, ReferenceRole};
use crate::vocabulary::{DefinitionKind, Flags};

/// Contextual keywords, which the grammar may take for names.
const RESERVED: &[&str] = &[
    "await", "yield", "async", "of", "get", "set", "let", "static", "type", "accessor", "using",
    "from", "as", "is", "out", "in", "enum", "declare", "abstract", "override", "target", "meta",
];

pub(super) fn all_sources_known(ctx: &DiagnosticsContext<'_>) -> bool {
    let (facts, lex) = (ctx.facts, &ctx.lex);
    let module = !facts.globs.is_empty()
        || facts.definitions[1..].iter().any(|d| {
            d.scope == 0 && (d.kind == DefinitionKind::Import || d.flags.has(Flags::EXPORTED))
        })
        || lex.contains_word("require") && lex.contains_word("exports");
    let file = ctx.path.rsplit('/').next().unwrap_or(ctx.path);
    module
        && !file.contains(".d.")
        && !lex.source.contains("ts-nocheck")
        && !lex.source.contains("eslint-disable no-undef")
}

/// Whether a name may be created dynamically: `eval` runs in the same function, or the place is in
/// a `with` body.
fn may_be_dynamic(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let lex = &ctx.lex;
    let is_call = |at: u32| {
        lex.kind(at) == super::LexicalKind::Code
            && !lex.is_member(at)
            && lex.source[at as usize + "eval".len()..].trim_start().starts_with('(')
    };
    let evals: Vec<u32> =
        lex.occurrences("eval").iter().copied().filter(|&at| is_call(at)).collect();
    if evals.is_empty() && !lex.contains_word("with") {
        return false;
    }
    let is_function = |kind: &str| kind.contains("function") || kind.starts_with("method_");
    let in_with = |n: &tree_sitter::Node<'_>| n.kind() == "with_statement";
    evals.iter().any(|&at| {
        let around = lex.ancestors(at, at + 4).find(|n| is_function(n.kind()));
        around.is_none_or(|n| n.byte_range().contains(&(reference.start as usize)))
    }) || lex.ancestors(reference.start, reference.end).any(|n| in_with(&n))
}

/// Whether tools may import a name automatically: functions of Vue, its router, Nuxt and
/// unplugin-auto-import, and names that look like theirs.
fn may_be_imported(ctx: &DiagnosticsContext<'_>, name: &str) -> bool {
    let project = &ctx.index.project;
    let nuxt = ["nuxt", "nuxt3", "nuxt-edge", "@nuxt/kit", "nitropack", "nitro", "wxt"];
    let tools = ["unplugin-auto-import", "unimport", "vite-plugin-auto-import"];
    if !nuxt.iter().chain(&tools).any(|tool| project.depends_on(ctx.path, tool)) {
        return false;
    }
    let called = ["use", "define", "on", "is", "to", "create"].iter().any(|prefix| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()))
    });
    // These tools may also import exports and components of the project.
    let exported = || {
        ctx.index.defined(name).any(|id| {
            let def = &ctx.index.indexed_facts(id.file).definitions[id.def as usize];
            def.scope == 0 && def.flags.has(Flags::EXPORTED)
        })
    };
    called || AUTO_IMPORTED.contains(&name) || exported()
}

/// Whether a name may be a global namespace declared by a types package, as in `Mousetrap.Event`:
/// it qualifies a type and is not a typo of a name in the file.
fn may_be_ambient(ctx: &DiagnosticsContext<'_>, reference: &Ref, name: &str) -> bool {
    let node = ctx.lex.node(reference.start, reference.end);
    let mut around = std::iter::successors(node.and_then(|n| n.parent()), |n| n.parent());
    let qualifies = around
        .find(|n| n.kind() != "nested_identifier")
        .is_some_and(|n| n.kind() == "nested_type_identifier");
    let defined = |def: &crate::facts::Def| {
        super::name_lists::is_typo_of(name, ctx.facts.strings.text(def.name))
    };
    qualifies && !ctx.facts.definitions[1..].iter().any(defined)
}

/// Files that are read to find out whether they use a name, too.
const MAX_OTHER_USERS: usize = 50;

/// Whether another JavaScript file uses the name without defining it, too. Then it is most likely a global of another
/// script, a test runner or a build tool; a slip of the pen is made once.
fn is_used_elsewhere(ctx: &DiagnosticsContext<'_>, name: &str) -> bool {
    let Some(postings) = ctx.index.names.get(name) else { return false };
    let others = postings.used.iter().filter(|file| **file != ctx.file).take(MAX_OTHER_USERS);
    others.into_iter().any(|file| {
        let facts = ctx.index.indexed_facts(*file);
        let is_free = |reference: &Ref| {
            reference.role == ReferenceRole::Plain
                && facts.strings.text(reference.name) == name
                && facts.definitions_named(reference.name).is_empty()
        };
        facts.language.id() == "javascript" && facts.references.iter().any(is_free)
    })
}

/// Names that Nuxt and the presets of unplugin-auto-import import, apart from `use…` and the like.
const AUTO_IMPORTED: &[&str] = &[
    "$fetch",
    "EffectScope",
    "Form",
    "Link",
    "Navigate",
    "NavLink",
    "Outlet",
    "Route",
    "Routes",
    "abortNavigation",
    "acceptHMRUpdate",
    "addRouteMiddleware",
    "afterUpdate",
    "appendHeader",
    "appendResponseHeader",
    "assertMethod",
    "batch",
    "beforeUpdate",
    "cachedEventHandler",
    "cachedFunction",
    "callNodeListener",
    "cancelIdleCallback",
    "clearError",
    "clearNuxtData",
    "clearNuxtState",
    "clearResponseHeaders",
    "computed",
    "computedAsync",
    "customRef",
    "deleteCookie",
    "derived",
    "destr",
    "devtools",
    "dynamic",
    "effect",
    "effectScope",
    "eventHandler",
    "fetchWithEvent",
    "forwardRef",
    "from",
    "fromNodeMiddleware",
    "get",
    "getActivePinia",
    "getAppManifest",
    "getContext",
    "getCookie",
    "getCurrentInstance",
    "getCurrentScope",
    "getCurrentWatcher",
    "getHeader",
    "getHeaders",
    "getMethod",
    "getProxyRequestHeaders",
    "getQuery",
    "getRequestFingerprint",
    "getRequestHeader",
    "getRequestHeaders",
    "getRequestHost",
    "getRequestIP",
    "getRequestProtocol",
    "getRequestURL",
    "getRequestWebStream",
    "getResponseHeader",
    "getResponseHeaders",
    "getResponseStatus",
    "getResponseStatusText",
    "getRouteRules",
    "getRouterParam",
    "getRouterParams",
    "getSession",
    "getValidatedQuery",
    "getValidatedRouterParams",
    "h",
    "handleCacheHeaders",
    "handleCors",
    "hasContext",
    "hasInjectionContext",
    "inject",
    "injectHead",
    "iterateKeys",
    "lazy",
    "lazyEventHandler",
    "loadPayload",
    "logger",
    "map",
    "mapActions",
    "mapGetters",
    "mapState",
    "mapStores",
    "mapWritableState",
    "markRaw",
    "memo",
    "mount",
    "navigateTo",
    "nextTick",
    "parseCookies",
    "prefetchComponents",
    "prefetchDependencies",
    "preloadComponents",
    "preloadPayload",
    "preloadRouteComponents",
    "prerenderRoutes",
    "promisifyNodeListener",
    "provide",
    "proxyRefs",
    "proxyRequest",
    "readBody",
    "readFormData",
    "readMultipartFormData",
    "readRawBody",
    "readValidatedBody",
    "reactive",
    "reactiveOmit",
    "reactivePick",
    "readable",
    "readonly",
    "redirect",
    "ref",
    "refreshCookie",
    "refreshNuxtData",
    "reloadNuxtApp",
    "removeResponseHeader",
    "removeRouteMiddleware",
    "requestIdleCallback",
    "resolveComponent",
    "resolveDirective",
    "resolveRef",
    "resolveUnref",
    "runTask",
    "sanitizeStatusCode",
    "sanitizeStatusMessage",
    "sealSession",
    "send",
    "sendError",
    "sendIterable",
    "sendNoContent",
    "sendProxy",
    "sendRedirect",
    "sendStream",
    "sendWebResponse",
    "serveStatic",
    "set",
    "setActivePinia",
    "setContext",
    "setCookie",
    "setHeader",
    "setHeaders",
    "setInterval",
    "setMapStoreSuffix",
    "setPageLayout",
    "setResponseHeader",
    "setResponseHeaders",
    "setResponseStatus",
    "setRouteLayout",
    "shallowReactive",
    "shallowReadonly",
    "shallowRef",
    "showError",
    "splitCookiesString",
    "startTransition",
    "storage",
    "storeToRefs",
    "throttledRef",
    "tick",
    "toRaw",
    "toRef",
    "toRefs",
    "toValue",
    "triggerRef",
    "tryOnMounted",
    "unhead",
    "unref",
    "unsealSession",
    "until",
    "updateAppConfig",
    "updateSession",
    "untrack",
    "watch",
    "watchDebounced",
    "watchEffect",
    "watchOnce",
    "watchPostEffect",
    "watchSyncEffect",
    "watchThrottled",
    "whenever",
    "withCtx",
    "withDirectives",
    "withKeys",
    "withMemo",
    "withModifiers",
    "withScopeId",
    "writable",
    "browser",
    "injectScript",
];

pub(super) fn is_undefined(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let (lex, name) = (&ctx.lex, ctx.name(reference.name));
    // A linter comment may declare it a global; a build tool may replace it.
    let declared = lex.occurrences(name).iter().any(|&at| {
        lex.kind(at) == super::LexicalKind::Comment && lex.comment_at(at).contains("global")
    });
    if declared || name.starts_with("__") || name.starts_with('$') {
        return false;
    }
    let tested = |n: &tree_sitter::Node<'_>| {
        let text = || &lex.source[n.byte_range()];
        matches!(n.kind(), "unary_expression" | "type_query") && text().starts_with("typeof")
    };
    if lex.ancestors(reference.start, reference.end).take(3).any(|n| tested(&n)) {
        return false;
    }
    let jsx = lex.node(reference.start, reference.end).and_then(|n| n.parent());
    if jsx.is_some_and(|p| p.kind().starts_with("jsx_attr")) || RESERVED.contains(&name) {
        return false;
    }
    // If the file tests `typeof name`, it expects that the global may exist.
    let is_tested = lex.source.contains(&format!("typeof {name}"));
    let ignored = {
        let line = lex.line_before(reference.start);
        let start = reference.start as usize - line.len();
        let above = lex.source[..start].trim_end().rsplit('\n').next().unwrap_or("");
        ["ts-ignore", "ts-expect-error", "eslint-disable"].iter().any(|w| above.contains(w))
            || lex.rest_of_line(reference.start as usize).contains("eslint-disable")
    };
    // Some file may declare it globally.
    let ambient = ctx.index.defined(name).any(|id| {
        let facts = ctx.index.indexed_facts(id.file);
        let def = &facts.definitions[id.def as usize];
        let path = ctx.index.project.path(id.file);
        path.contains(".d.") || def.flags.has(Flags::DECLARED) && def.scope == 0
    });
    !is_tested
        && !ignored
        && !ambient
        && !may_be_dynamic(ctx, reference)
        && !may_be_imported(ctx, name)
        && !may_be_ambient(ctx, reference, name)
        && !(ctx.language == "javascript" && is_used_elsewhere(ctx, name))
}
