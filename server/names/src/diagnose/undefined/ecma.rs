//! JavaScript and TypeScript: modules, in which nothing but globals is seen from outside.

use crate::diagnose::Subject;
use crate::facts::Ref;
use crate::vocabulary::{DefinitionKind, Flags};

/// Words that a name can only be taken for.
const RESERVED: &[&str] = &[
    "await", "yield", "async", "of", "get", "set", "let", "static", "type", "accessor", "using",
    "from", "as", "is", "out", "in", "enum", "declare", "abstract", "override", "target", "meta",
];

pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    let (facts, ground) = (subject.facts, &subject.ground);
    let module = !facts.globs.is_empty()
        || facts.definitions[1..].iter().any(|d| {
            d.scope == 0 && (d.kind == DefinitionKind::Import || d.flags.has(Flags::EXPORTED))
        })
        || ground.has("require") && ground.has("exports");
    let file = subject.path.rsplit('/').next().unwrap_or(subject.path);
    module
        && !file.contains(".d.")
        && !ground.source.contains("ts-nocheck")
        && !ground.source.contains("eslint-disable no-undef")
}

/// Whether a name at a place may come to be by text: where `eval` runs in the same function, or in
/// the body of a `with`.
fn may_be_made(subject: &Subject<'_>, reference: &Ref) -> bool {
    let ground = &subject.ground;
    let is_call = |at: u32| {
        ground.kind(at) == super::Kind::Code
            && !ground.is_member(at)
            && ground.source[at as usize + "eval".len()..].trim_start().starts_with('(')
    };
    let evals: Vec<u32> = ground.places("eval").iter().copied().filter(|&at| is_call(at)).collect();
    if evals.is_empty() && !ground.has("with") {
        return false;
    }
    let is_function = |kind: &str| kind.contains("function") || kind.starts_with("method_");
    let in_with = |n: &tree_sitter::Node<'_>| n.kind() == "with_statement";
    evals.iter().any(|&at| {
        let around = ground.around(at, at + 4).find(|n| is_function(n.kind()));
        around.is_none_or(|n| n.byte_range().contains(&(reference.start as usize)))
    }) || ground.around(reference.start, reference.end).any(|n| in_with(&n))
}

/// Functions that tools import by themselves, by their names: those of Vue, its router, Nuxt and
/// unplugin-auto-import, and whatever is called like them.
fn may_be_imported(subject: &Subject<'_>, name: &str) -> bool {
    let project = &subject.index.project;
    let nuxt = ["nuxt", "nuxt3", "nuxt-edge", "@nuxt/kit", "nitropack", "nitro", "wxt"];
    let tools = ["unplugin-auto-import", "unimport", "vite-plugin-auto-import"];
    if !nuxt.iter().chain(&tools).any(|tool| project.depends_on(subject.path, tool)) {
        return false;
    }
    let called = ["use", "define", "on", "is", "to", "create"].iter().any(|prefix| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()))
    });
    // What a file of the project exports may be among them, and so may a component.
    let exported = || {
        subject.index.defined(name).any(|id| {
            let def = &subject.index.facts_of(id.file).definitions[id.def as usize];
            def.scope == 0 && def.flags.has(Flags::EXPORTED)
        })
    };
    called || AUTO_IMPORTED.contains(&name) || exported()
}

/// Whether a name may be the namespace that some package of types declares for all files, as
/// `Mousetrap.Event` is: it qualifies a type, and is no slip of a name of this file.
fn may_be_ambient(subject: &Subject<'_>, reference: &Ref, name: &str) -> bool {
    let node = subject.ground.node(reference.start, reference.end);
    let mut around = std::iter::successors(node.and_then(|n| n.parent()), |n| n.parent());
    let qualifies = around
        .find(|n| n.kind() != "nested_identifier")
        .is_some_and(|n| n.kind() == "nested_type_identifier");
    let defined =
        |def: &crate::facts::Def| super::known::is_near(name, subject.facts.strings.text(def.name));
    qualifies && !subject.facts.definitions[1..].iter().any(defined)
}

/// What Nuxt and the presets of unplugin-auto-import bring, beside what is called `use…` and the like.
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

pub(super) fn is_undefined(subject: &Subject<'_>, reference: &Ref) -> bool {
    let (ground, name) = (&subject.ground, subject.name(reference.name));
    // A comment may declare it for a linter; a tool may put something in its place.
    let declared = ground.places(name).iter().any(|&at| {
        ground.kind(at) == super::Kind::Comment && ground.comment(at).contains("global")
    });
    if declared || name.starts_with("__") || name.starts_with('$') {
        return false;
    }
    let tested = |n: &tree_sitter::Node<'_>| {
        let text = || &ground.source[n.byte_range()];
        matches!(n.kind(), "unary_expression" | "type_query") && text().starts_with("typeof")
    };
    if ground.around(reference.start, reference.end).take(3).any(|n| tested(&n)) {
        return false;
    }
    let jsx = ground.node(reference.start, reference.end).and_then(|n| n.parent());
    if jsx.is_some_and(|p| p.kind().starts_with("jsx_attr")) || RESERVED.contains(&name) {
        return false;
    }
    // Asked about elsewhere in the file, it is a global that may be there.
    let asked = ground.source.contains(&format!("typeof {name}"));
    let ignored = {
        let line = ground.before(reference.start);
        let start = reference.start as usize - line.len();
        let above = ground.source[..start].trim_end().rsplit('\n').next().unwrap_or("");
        ["ts-ignore", "ts-expect-error", "eslint-disable"].iter().any(|w| above.contains(w))
            || ground.rest_of_line(reference.start as usize).contains("eslint-disable")
    };
    // What any file declares for all.
    let ambient = subject.index.defined(name).any(|id| {
        let facts = subject.index.facts_of(id.file);
        let def = &facts.definitions[id.def as usize];
        let path = subject.index.project.path(id.file);
        path.contains(".d.") || def.flags.has(Flags::DECLARED) && def.scope == 0
    });
    !asked
        && !ignored
        && !ambient
        && !may_be_made(subject, reference)
        && !may_be_imported(subject, name)
        && !may_be_ambient(subject, reference, name)
}
