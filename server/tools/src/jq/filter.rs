//! Compiles and runs jq filters, with limits.

use jaq_core::data::HasLut;
use jaq_core::load::{self, Arena, File, Loader, lex};
use jaq_core::{Compiler, Ctx, DataT, Lut, Vars};
use serde_json::Value as Json;

use super::library;
use super::limits::{Stopped, limited, step};
use super::value::Value;

/// Longest filter, in bytes.
const MAX_FILTER_BYTES: usize = 8 << 10;
/// Stack of the thread that compiles: the parser recurses, at most once a byte.
const COMPILER_STACK: usize = 64 << 20;
/// Longest error text of a filter, in characters.
const MAX_ERROR_CHARS: usize = 200;

/// A compiled filter.
pub struct Filter(jaq_core::Filter<Kind>);

/// A mistake in a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterMistake {
    /// Offset in the filter's text.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

/// The types that the interpreter works with.
pub(super) struct Kind;

/// The compiled terms. The interpreter looks one up at each step, which is counted.
#[derive(Clone)]
pub(super) struct CountedTerms<'a>(&'a Lut<Kind>);

impl DataT for Kind {
    type V<'a> = Value;
    type Data<'a> = CountedTerms<'a>;
}

impl<'a> HasLut<'a, Kind> for CountedTerms<'a> {
    fn lut(&self) -> &'a Lut<Kind> {
        step();
        self.0
    }
}

impl Filter {
    /// Compiles `text`, which may use `variables`, such as `$params`.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn compile(text: &str, variables: &[&str]) -> Result<Self, FilterMistake> {
        if text.len() > MAX_FILTER_BYTES {
            let message =
                format!("{} bytes, more than the limit of {MAX_FILTER_BYTES}", text.len());
            return Err(FilterMistake { offset: 0, message });
        }
        let failed = || FilterMistake { offset: 0, message: "the compiler failed".to_owned() };
        std::thread::scope(|scope| {
            let compiler =
                std::thread::Builder::new().name("filter".to_owned()).stack_size(COMPILER_STACK);
            let thread =
                compiler.spawn_scoped(scope, || compile(text, variables)).map_err(|_| failed())?;
            thread.join().unwrap_or_else(|_| Err(failed()))
        })
    }

    /// Runs it with the values of its variables, in the order of [`Filter::compile`].
    ///
    /// # Errors
    /// Why there is no result, or more than one.
    pub fn run(
        &self,
        input: Json,
        variables: impl IntoIterator<Item = Json>,
    ) -> Result<Json, String> {
        let result = limited(|| {
            let variables = variables.into_iter().map(Value::from_json);
            let context = Ctx::<Kind>::new(CountedTerms(&self.0.lut), Vars::new(variables));
            let mut outputs = self.0.id.run((context, Value::from_json(input)));
            let output = match outputs.next() {
                None => return Err("it has no result".to_owned()),
                Some(Ok(output)) => output,
                Some(Err(error)) => {
                    let text = error.get_err().map(|error| error.to_string());
                    return Err(text.unwrap_or_else(|_| "it was left by `break`".to_owned()));
                }
            };
            if outputs.next().is_some() {
                return Err("it has more than one result".to_owned());
            }
            // The input is freed, so that texts are moved into the result.
            drop(outputs);
            Ok(output.into_json())
        });
        let result = result.unwrap_or_else(|stopped: Stopped| Err(stopped.to_string()));
        result.map_err(|message| message.chars().take(MAX_ERROR_CHARS).collect())
    }
}

fn compile(text: &str, variables: &[&str]) -> Result<Filter, FilterMistake> {
    let arena = Arena::default();
    let loader = Loader::new(library::definitions());
    let modules = loader.load(&arena, File { code: text, path: () });
    let modules = modules.map_err(|errors| load_mistake(text, errors))?;
    let compiler = Compiler::default()
        .with_funs(library::functions())
        .with_global_vars(variables.iter().copied());
    compiler.compile(modules).map(Filter).map_err(|errors| {
        let undefined = errors.into_iter().flat_map(|(_, undefined)| undefined).next();
        let Some((name, kind)) = undefined else {
            return FilterMistake { offset: 0, message: String::new() };
        };
        let message = format!("there is no {} `{}`", kind.as_str(), clipped(name));
        FilterMistake { offset: offset_in(text, name), message }
    })
}

fn load_mistake(text: &str, errors: load::Errors<&str, ()>) -> FilterMistake {
    let mistake = |part: &str, expected: &str| {
        let found =
            if part.is_empty() { "the end".to_owned() } else { format!("`{}`", clipped(part)) };
        FilterMistake {
            offset: offset_in(text, part),
            message: format!("expected {expected}, found {found}"),
        }
    };
    for (_, error) in errors {
        match error {
            load::Error::Lex(errors) => {
                if let Some((expected, part)) = errors.into_iter().next() {
                    let expected: lex::Expect<&str> = expected;
                    return mistake(part, expected.as_str());
                }
            }
            load::Error::Parse(errors) => {
                if let Some((expected, part)) = errors.into_iter().next() {
                    return mistake(part, expected.as_str());
                }
            }
            load::Error::Io(errors) => {
                if let Some((part, _)) = errors.into_iter().next() {
                    let message = "modules cannot be imported".to_owned();
                    return FilterMistake { offset: offset_in(text, part), message };
                }
            }
        }
    }
    FilterMistake { offset: 0, message: "it is no filter".to_owned() }
}

fn clipped(part: &str) -> String {
    part.lines().next().unwrap_or_default().chars().take(40).collect()
}

/// Where `part`, which is a part of `text`, starts; the end if it is none.
fn offset_in(text: &str, part: &str) -> usize {
    let start = part.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
    start.min(text.len())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::json;

    use super::*;

    const VARIABLES: [&str; 3] = ["$params", "$tool", "$meta"];

    fn eval(filter: &str, input: Json) -> Result<Json, String> {
        let filter = Filter::compile(filter, &VARIABLES).map_err(|mistake| mistake.message)?;
        filter.run(input, [json!({ "path": "p" }), json!("tool"), json!({ "duration_ms": 3 })])
    }

    #[test]
    fn filters_compute_as_jq_does() {
        let input = || {
            json!({
                "a": [3, 1, 2], "s": "x/y.rs", "o": { "k": 1, "l": null }, "n": 2.5, "big": 9_007_199_254_740_993_i64,
            })
        };
        for (filter, expected) in [
            (".a | sort | reverse", json!([3, 2, 1])),
            ("[.a[] | select(. > 1)] | length", json!(2)),
            (".a[1:] + [7]", json!([1, 2, 7])),
            (".a[-1], .a[9] | tojson", json!("2")),
            (
                "{s, path: $params.path, tool: $tool, ms: $meta.duration_ms}",
                json!({ "s": "x/y.rs", "path": "p", "tool": "tool", "ms": 3 }),
            ),
            (".s | split(\"/\") | map(length)", json!([1, 4])),
            (".s | extension", json!("rs")),
            (".s | basename", json!("y.rs")),
            ("\"12\" | tonumber", json!(12)),
            (".o | drop_nulls", json!({ "k": 1 })),
            (".o.l // \"none\"", json!("none")),
            (".n * 2", json!(5)),
            ("7 / 2, 8 / 2 | tostring", json!("3.5")),
            (".big", json!(9_007_199_254_740_993_i64)),
            ("if .n > 2 then \"more\" else \"less\" end", json!("more")),
            (".o.k |= . + 1 | .o", json!({ "k": 2, "l": null })),
            (".o.m = 5 | .o.m", json!(5)),
            ("del(.o, .a, .s, .big)", json!({ "n": 2.5 })),
            ("reduce .a[] as $n (0; . + $n)", json!(6)),
            ("[.a[] | {n: ., odd: (. % 2 == 1)}] | map(select(.odd).n)", json!([3, 1])),
            ("\"é€x\" | byte_slice(0; 4)", json!("é")),
            ("\"é\" | @base64", json!("w6k=")),
            ("\"w6k=\" | @base64d", json!("é")),
            ("try error(\"no\") catch .", json!("no")),
            (
                "(.missing.deep // {}) * {x: {y: 1}} * {x: {z: 2}}",
                json!({ "x": { "y": 1, "z": 2 } }),
            ),
            ("[.o | to_entries[] | .key] | join(\",\")", json!("k,l")),
            ("{} == {} and [1] < [2] and null < false", json!(true)),
            ("\"\\(.n) and \\(.a)\"", json!("2.5 and [3,1,2]")),
            ("[limit(3; repeat(1))]", json!([1, 1, 1])),
            ("isobject and (.a | isarray) and (.s | type == \"string\")", json!(true)),
        ] {
            let first = format!("first({filter})");
            assert_eq!(eval(&first, input()), Ok(expected), "{filter}");
        }
    }

    #[test]
    fn filters_without_end_are_stopped() {
        let started = Instant::now();
        for filter in [
            "def f: f; f",
            "def f: 1 + f; f",
            "def f: (f | f)?; f",
            "def f: try f catch f; f",
            "last(repeat(1))",
            "[repeat(1)]",
            "[range(1000000000000)]",
            "last(range(0; 1; 0))",
            "reduce range(100) as $i (\"ab\"; . + .)",
            "reduce range(100) as $i ([1]; . + .) | length",
            "reduce range(100) as $i (1; [., .]) | tojson | length",
            "reduce range(60) as $i (1; [., .]) | . == .",
            "reduce range(100000) as $i (0; [.])",
            "reduce range(100000) as $i (0; {a: .})",
            "\"ab\" * 1000000000000",
            "[range(4000)] as $a | [$a[] | $a[] | $a[]] | length",
            "[range(1000)] as $a | last($a[] | $a[] | $a[] | $a[])",
            "[limit(1000000; repeat(\"x\" * 100000))] | length",
            "[paths(..)] | until(false; .)",
            "def f($n): f($n + 1); f(0)",
            "def f: def g: f; g; f",
            "label $x | def f: f | break $x; f",
        ] {
            let outcome = eval(filter, json!({}));
            assert!(outcome.is_err(), "{filter}: {outcome:?}");
        }
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
        // The thread is as good as before.
        assert_eq!(eval(".", json!(1)), Ok(json!(1)));
    }

    #[test]
    fn filters_reach_nothing_outside() {
        for filter in [
            "env",
            "$ENV",
            "now",
            "input",
            "inputs",
            "halt",
            "halt(0)",
            "debug",
            "import \"a\" as a; 1",
            "include \"x\"; 1",
            "$__prog_args",
            "localtime",
            "input_filename",
        ] {
            let mistake = Filter::compile(filter, &VARIABLES).err();
            assert!(mistake.is_some_and(|mistake| !mistake.message.is_empty()), "{filter}");
        }
    }

    #[test]
    fn mistakes_say_where_they_are() {
        for (filter, offset, message) in [
            (".a | nothing", 5, "there is no filter `nothing`"),
            ("{a: $nowhere}", 4, "there is no variable `$nowhere`"),
            (". as [$a | 1", 12, "expected closing bracket, found the end"),
            ("\"open", 5, "expected closing quote, found the end"),
            ("", 0, "expected"),
        ] {
            let mistake = Filter::compile(filter, &VARIABLES).err().unwrap();
            assert!(mistake.message.starts_with(message), "{filter}: {mistake:?}");
            assert_eq!(mistake.offset, offset, "{filter}: {mistake:?}");
        }
        let run = |filter: &str| eval(filter, json!({ "a": 1 })).unwrap_err();
        assert_eq!(run("empty"), "it has no result");
        assert_eq!(run("1, 2"), "it has more than one result");
        assert!(run(".a.b").contains("cannot index"), "{}", run(".a.b"));
        assert!(run("label $x | break $x").contains("no result"));
    }

    #[test]
    fn deeply_nested_filters_are_compiled_or_refused() {
        for (open, close) in
            [("(", ")"), ("[", "]"), ("{a:", "}"), ("-", ""), ("try ", ""), ("1|", ""), ("..|", "")]
        {
            for count in [100, 8_000 / (open.len() + close.len())] {
                let filter = format!("{}.{}", open.repeat(count), close.repeat(count));
                if let Ok(filter) = Filter::compile(&filter, &VARIABLES) {
                    let _ = filter.run(json!({}), [json!({}), json!(""), json!({})]);
                }
            }
        }
        assert!(Filter::compile(&"1|".repeat(5_000), &VARIABLES).is_err());
    }
}
