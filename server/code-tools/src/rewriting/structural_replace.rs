//! `structural_replace`: rewrites code by its syntax, in many files.

use std::sync::Arc;

use rewrite::{RuleError, Rules, context_hint, language_for, languages};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use syntax::Language;

use super::plan::{self, Plan};
use super::plan_cache::PlanCache;
use crate::editing::{self, Detail, Place, Summary, push_places, push_review, push_summary};
use search_tools::{CodeScope, FilePattern, search_effects};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, count, is_zero},
};

pub(crate) struct StructuralReplace;

/// Limit for the files that an error lists.
const MAX_LISTED_FILES: usize = 8;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Code with metavariables, as ast-grep writes them: `foo($A, $$$ARGS)`; or `{context, selector,
    /// strictness}`.
    #[serde(default)]
    #[schemars(schema_with = "text_or_object")]
    pattern: Option<Value>,
    /// The new code, with the pattern's metavariables: `bar($$$ARGS, $A)`.
    #[serde(default)]
    rewrite: Option<String>,
    /// Or a rule of ast-grep, as YAML or an object: `{rule: {any, all, not, inside, has, kind, regex,
    /// …}, constraints, transform, fix}`.
    #[serde(default)]
    #[schemars(schema_with = "text_or_object")]
    rule: Option<Value>,
    /// Language id, such as `rust`, or several, separated by commas; by default every language in
    /// which the pattern parses.
    #[serde(default)]
    language: Option<String>,
    /// Folder or file; every root by default.
    #[serde(default)]
    path: Option<String>,
    /// Only files that match one of these globs, separated by commas; `!` excludes.
    #[serde(default)]
    file_pattern: Option<String>,
    /// Refuse unless there are exactly so many matches.
    #[serde(default)]
    expected_count: Option<usize>,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    summary: Summary,
    /// The first places.
    places: Vec<Place>,
    /// Matches inside replaced code, which stay there: call again to replace them.
    #[serde(skip_serializing_if = "is_zero")]
    nested: usize,
    /// Whether a file could not be searched.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

impl Tool for StructuralReplace {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "structural_replace";
    const DESCRIPTION: &'static str = "Rewrite code by its syntax in many files, by an ast-grep \
        pattern with its replacement or an ast-grep rule with `fix`, as one action that \
        `undo_action` reverts. Refused if new code would not parse or matches overlap. \
        `structural_search` finds without changing.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("fix", "rewrite"),
        ("replacement", "rewrite"),
        ("rules", "rule"),
        ("lang", "language"),
        ("glob", "file_pattern"),
    ];
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"pattern": "def $F($$$ARGS):\n    $$$BODY", "rewrite": "def new_$F($$$ARGS):\n    $$$BODY", "language": "python", "path": "app.py", "dry_run": true}"#,
    ];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let mut effects = search_effects(context, params.path.as_deref())?;
        // A dry run reads nothing that the search does not read.
        if params.dry_run {
            rules(params)?;
            return Ok(effects);
        }
        let plan = Arc::new(checked_plan(context, params)?);
        effects.extend(editing::effects(context, || Ok(plan.requested()), false)?);
        let cache = context.session.family::<PlanCache>();
        cache.keep(format!("{params:?}"), context.snapshot.revision(), &plan);
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let cache = context.session.family::<PlanCache>();
        let kept = cache.take(&format!("{params:?}"), context.snapshot.revision());
        let plan = match kept {
            Some(plan) => plan,
            None => Arc::new(checked_plan(context, &params)?),
        };
        let edits = plan.requested();
        // Files may have changed since policy decided.
        let is_new = |path| !context.is_granted(&Effect::write(path));
        if !params.dry_run && edits.iter().any(|edit| is_new(&edit.path)) {
            let message = format!("{}: files have changed meanwhile", Self::NAME);
            return Err(ToolError::new(Code::Conflict, message).hint("call again"));
        }
        let mut places = Vec::new();
        for file in &plan.files {
            push_places(&mut places, &file.path, &file.before, &file.edits);
        }
        let output = editing::run_as(context, Self::NAME, &edits, params.dry_run, Detail::Counts)?;
        let (nested, incomplete) = (plan.nested, plan.incomplete);
        Ok(Output { summary: output.into_summary(), places, nested, incomplete })
    }
}

/// Not a list of types: some clients accept a single one only.
fn text_or_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "string" }, { "type": "object" }] })
}

/// Compiles the rules of a call.
fn rules(params: &Params) -> Result<Rules, ToolError> {
    let fix = params.rewrite.as_deref();
    let named = named_languages(params.language.as_deref())?;
    let rules = match (&params.pattern, &params.rule) {
        (Some(pattern), None) if fix.is_some() => Rules::from_pattern(pattern, fix, &named),
        (None, Some(_)) if named.len() > 1 => {
            return Err(invalid("a `rule` has one `language`"));
        }
        (None, Some(rule)) => Rules::from_rules(rule, fix, named.first().copied()),
        _ => {
            return Err(invalid("give `pattern` and `rewrite`, or a `rule` with `fix`")
                .hint("`structural_search` finds code without changing it"));
        }
    };
    let rules = rules.map_err(|error| match error {
        RuleError::SeveralFixes(_) => {
            ToolError::new(Code::Ambiguous, format!("{}: {error}", StructuralReplace::NAME))
                .hint("leave one `fix`")
        }
        error @ RuleError::Invalid(_) => invalid(&error.to_string()),
    })?;
    if !rules.has_fix() {
        return Err(invalid("no rule has a `fix`")
            .hint("add `fix` or `rewrite`; `structural_search` finds code without changing it"));
    }
    Ok(rules)
}

fn named_languages(names: Option<&str>) -> Result<Vec<Language>, ToolError> {
    let names = names.into_iter().flat_map(|names| names.split(','));
    names
        .map(|name| {
            language_for(name).ok_or_else(|| {
                let known: Vec<_> = languages().map(Language::id).collect();
                invalid(&format!("`{name:.40}` is no language that rules can name"))
                    .hint(format!("known: {}", known.join(", ")))
            })
        })
        .collect()
}

/// Plans a call, and refuses a number of matches that the caller does not expect, and none at all.
fn checked_plan(context: &Context<'_>, params: &Params) -> Result<Plan, ToolError> {
    let tool = StructuralReplace::NAME;
    let rules = rules(params)?;
    let files = params.file_pattern.as_deref().map(|globs| FilePattern::new(tool, globs));
    let scope = CodeScope { tool, path: params.path.as_deref(), files: files.transpose()? };
    let plan = plan::plan(context, &scope, &rules)?;
    let total = plan.count();
    match params.expected_count {
        Some(expected) if expected != total => {
            let files =
                plan.files.iter().take(MAX_LISTED_FILES).map(
                    |file| json!({ "path": file.path.display_path(), "count": file.edits.len() }),
                );
            let files: Vec<_> = files.collect();
            let message = format!(
                "{tool}: {total} matches in {}, not {expected}; nothing changed",
                count(plan.files.len(), "file")
            );
            Err(ToolError::new(Code::Conflict, message)
                .hint("narrow the rule or `path`, or correct `expected_count`")
                .details(json!({ "count": total, "files": files })))
        }
        None if total == 0 => Err(no_match(params, &rules, &plan)),
        _ => Ok(plan),
    }
}

/// The error for no match; with the reason, if the pattern means something else than it seems to.
fn no_match(params: &Params, rules: &Rules, plan: &Plan) -> ToolError {
    let searched = count(plan.searched, "file");
    let message = format!("{}: nothing matches in {searched}", StructuralReplace::NAME);
    let error = ToolError::new(Code::NoMatch, message);
    let code = params.pattern.as_ref().and_then(Value::as_str).unwrap_or_default();
    let hint = rules.languages().iter().find_map(|language| {
        let hint = context_hint(*language, code)?;
        Some((language.name(), hint))
    });
    match hint {
        Some((language, hint)) => error.hint(format!(
            "by itself the pattern is a `{}` of {language}; inside a function it is written {}",
            hint.kind,
            json!({ "pattern": { "context": hint.context, "selector": hint.selector } })
        )),
        None => error.hint(
            "a pattern matches code of the same shape: it needs modifiers and types that the code \
             has; hidden and ignored files are not searched",
        ),
    }
}

fn invalid(message: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("{}: {message}", StructuralReplace::NAME))
}

/// What was replaced where, and what was not.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    push_summary(&mut lines, result);
    if let Some(nested) = result["nested"].as_u64() {
        let nested = usize::try_from(nested).unwrap_or_default();
        let places = count(nested, "place");
        lines.push(format_args!("[{places} inside replaced code left as they were: call again]"));
    }
    if result["incomplete"] == true {
        lines.push("[incomplete: a file or folder could not be searched]");
    }
    if let Some(why) = result["unrecorded"].as_str() {
        lines.push(format_args!("[cannot be undone: {why}]"));
    }
    push_review(&mut lines, &result["review"]);
    lines.finish("nothing changed: every match is already its replacement")
}
