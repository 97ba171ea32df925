//! `calculate`: exact arithmetic.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fend_core::Interrupt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct Calculate;

/// Limit for an expression, in bytes.
const MAX_EXPRESSION_BYTES: usize = 1_000;
/// Limit for a result, in characters.
const MAX_RESULT_CHARS: usize = 10_000;
/// Time limit: `9**9**9` would take days.
const TIME_LIMIT: Duration = Duration::from_millis(500);
/// The stack of a calculation, which descends with the nesting of the expression.
const STACK_SIZE: usize = 64 << 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The expression: `+ - * / ** mod !`, parentheses, `pi`, functions (`sqrt`, `ln`, `log10`, `sin`,
    /// `abs`, `floor`, `ceil`, `round`), percentages, units and bases (`0xff to decimal`).
    expression: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The result as text, which keeps all digits.
    result: String,
    /// The result as a number, if it is one that JSON represents closely.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// Whether the result is exact.
    exact: bool,
}

impl Tool for Calculate {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "calculate";
    const DESCRIPTION: &'static str = "Evaluate an expression with exact integers and fractions of \
        any size, functions, units and number bases: `2**64 - 1`, `1/3 + 1/6`, `sqrt(2)`, \
        `3 GiB to MB`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("expr", "expression"), ("input", "expression"), ("formula", "expression")];
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"expression": "2**64 - 1"}"#, r#"{"expression": "sqrt(2) * 100"}"#];

    fn text(result: &Value) -> Option<String> {
        let about = if result["exact"] == true { "" } else { "about " };
        Some(format!("{about}{}", result["result"].as_str().unwrap_or_default()))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let output = evaluate(&params.expression, context.interrupt);
        output.map_err(|(code, why)| ToolError::new(code, format!("{}: {why}", Self::NAME)))
    }
}

/// Stops a calculation when it takes too long or is cancelled.
struct Limit<'i> {
    deadline: Instant,
    cancelled: &'i AtomicBool,
}

impl Interrupt for Limit<'_> {
    fn should_interrupt(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }
}

fn evaluate(expression: &str, cancelled: &AtomicBool) -> Result<Output, (Code, String)> {
    if expression.trim().is_empty() {
        return Err((Code::InvalidParams, "`expression` is empty".to_owned()));
    }
    if expression.len() > MAX_EXPRESSION_BYTES {
        let why = format!("`expression` is longer than {MAX_EXPRESSION_BYTES} bytes");
        return Err((Code::TooLarge, why));
    }
    let limit = Limit { deadline: Instant::now() + TIME_LIMIT, cancelled };
    let calculate = || {
        let mut context = fend_core::Context::new();
        fend_core::evaluate_with_interrupt(expression, &mut context, &limit)
            .map(|result| result.get_main_result().to_owned())
    };
    let outcome = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
        let thread =
            thread.spawn_scoped(scope, calculate).map_err(|e| (Code::Io, e.to_string()))?;
        let failed = |_| (Code::Internal, "the calculation failed".to_owned());
        thread.join().map_err(failed)
    })?;
    match outcome {
        Ok(text) if text.chars().count() > MAX_RESULT_CHARS => {
            let why = format!("the result has more than {MAX_RESULT_CHARS} digits");
            Err((Code::TooLarge, why))
        }
        Ok(text) => {
            let exact = !text.starts_with("approx. ");
            let result = text.trim_start_matches("approx. ").to_owned();
            let value = result.parse().ok().filter(|value: &f64| value.is_finite());
            Ok(Output { result, value, exact })
        }
        Err(_) if cancelled.load(Ordering::Relaxed) => {
            Err((Code::Cancelled, "cancelled".to_owned()))
        }
        Err(_) if Instant::now() >= limit.deadline => {
            let milliseconds = TIME_LIMIT.as_millis();
            let why = format!("it takes more than {milliseconds} ms: the numbers are too large");
            Err((Code::TooLarge, why))
        }
        Err(why) => Err((Code::InvalidParams, format!("`{expression:.200}`: {why}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(expression: &str) -> Result<Output, (Code, String)> {
        evaluate(expression, &AtomicBool::new(false))
    }

    #[test]
    fn integers_and_decimals_are_exact() {
        for (expression, expected) in [
            ("2 + 3 * 4", "14"),
            ("2**64 - 1", "18446744073709551615"),
            ("0.1 + 0.2", "0.3"),
            ("1/3 + 1/6", "0.5"),
            ("(1 + 2) * -3", "-9"),
            ("10 mod 3", "1"),
            ("20!", "2432902008176640000"),
            ("sqrt(16)", "4"),
            ("abs(-3.5)", "3.5"),
            ("floor(3.7) + ceil(3.2)", "7"),
            ("0xff to decimal", "255"),
            ("2**200", "1606938044258990275541962092341162602522202993782792835301376"),
        ] {
            let output = result(expression).unwrap();
            assert_eq!((output.result.as_str(), output.exact), (expected, true), "{expression}");
        }
        let root = result("sqrt(2)").unwrap();
        assert!(
            !root.exact && (root.value.unwrap() - 2_f64.sqrt()).abs() < 1e-8,
            "{}",
            root.result
        );
    }

    #[test]
    fn what_is_too_large_or_wrong_is_an_error_at_once() {
        let deep = "(".repeat(499) + "1" + &")".repeat(499);
        assert!(matches!(result(&deep), Ok(_) | Err((Code::InvalidParams, _))));
        let begun = Instant::now();
        for expression in ["9**9**9", "9**9**9**9", "100000!", "2**(10**10)", "10**20000"] {
            let (code, why) = result(expression).map(|output| output.result).unwrap_err();
            assert!(matches!(code, Code::TooLarge | Code::InvalidParams), "{expression}: {why}");
        }
        assert!(begun.elapsed() < Duration::from_secs(20));
        for expression in ["", "1 +", "1/0", "foo(1)", "__import__('os')", &"1+".repeat(600)] {
            assert!(result(expression).is_err(), "{expression}");
        }
        let cancelled = evaluate("9**9**9", &AtomicBool::new(true)).map(|_| ()).unwrap_err();
        assert_eq!(cancelled.0, Code::Cancelled);
    }
}
