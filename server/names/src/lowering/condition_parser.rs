//! Evaluation of preprocessor conditions, with three outcomes: true, false, or assumed because a
//! macro in it is not defined here.

/// The value of a condition or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ConditionValue {
    pub(crate) value: i64,
    /// Whether the value holds in every build for a platform like this.
    pub(crate) known: bool,
}

impl ConditionValue {
    pub(crate) fn holds(self) -> bool {
        self.value != 0
    }

    fn known(value: i64) -> Self {
        Self { value, known: true }
    }

    fn unknown(value: i64) -> Self {
        Self { value, known: false }
    }

    /// Combines two values; the result is known if both are.
    fn of(self, other: Self, value: i64) -> Self {
        Self { value, known: self.known && other.known }
    }
}

/// The macros that a condition is evaluated with.
pub(crate) trait MacroEnvironment {
    /// Whether a macro is defined.
    fn defined(&self, name: &str) -> ConditionValue;

    /// The value of a macro in a condition.
    fn value(&self, name: &str) -> ConditionValue;
}

/// A recursive-descent parser and evaluator; unknown macros count as 0.
pub(crate) struct ConditionParser<'w, K: MacroEnvironment> {
    pub(crate) macros: &'w K,
    pub(crate) rest: &'w str,
    pub(crate) depth: u32,
}

impl<K: MacroEnvironment> ConditionParser<'_, K> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest;
        true
    }

    pub(crate) fn parse_or(&mut self) -> ConditionValue {
        let mut left = self.parse_and();
        while self.eat("||") {
            let right = self.parse_and();
            let certain = |v: ConditionValue| v.known && v.holds();
            let known = certain(left) || certain(right) || left.known && right.known;
            left = ConditionValue { value: i64::from(left.holds() || right.holds()), known };
        }
        left
    }

    fn parse_and(&mut self) -> ConditionValue {
        let mut left = self.parse_comparison();
        while self.eat("&&") {
            let right = self.parse_comparison();
            let never = |v: ConditionValue| v.known && !v.holds();
            let known = never(left) || never(right) || left.known && right.known;
            left = ConditionValue { value: i64::from(left.holds() && right.holds()), known };
        }
        left
    }

    fn parse_comparison(&mut self) -> ConditionValue {
        let left = self.parse_sum();
        for (token, is) in [
            ("==", (|a, b| a == b) as fn(i64, i64) -> bool),
            ("!=", |a, b| a != b),
            (">=", |a, b| a >= b),
            ("<=", |a, b| a <= b),
            (">", |a, b| a > b),
            ("<", |a, b| a < b),
        ] {
            if self.eat(token) {
                let right = self.parse_sum();
                return left.of(right, i64::from(is(left.value, right.value)));
            }
        }
        left
    }

    fn parse_sum(&mut self) -> ConditionValue {
        let mut left = self.parse_product();
        loop {
            if self.eat("+") {
                let right = self.parse_product();
                left = left.of(right, left.value.saturating_add(right.value));
            } else if self.eat("-") {
                let right = self.parse_product();
                left = left.of(right, left.value.saturating_sub(right.value));
            } else {
                return left;
            }
        }
    }

    fn parse_product(&mut self) -> ConditionValue {
        let mut left = self.parse_primary();
        loop {
            if self.eat("*") {
                let right = self.parse_primary();
                left = left.of(right, left.value.saturating_mul(right.value));
            } else if self.eat("/") {
                let right = self.parse_primary();
                left = left.of(right, left.value.checked_div(right.value).unwrap_or(0));
            } else {
                return left;
            }
        }
    }

    fn word(&mut self) -> &str {
        self.eat("");
        let end =
            self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Skips arguments up to the closing parenthesis.
    fn skip_arguments(&mut self) {
        let mut depth = 1;
        let end = self.rest.find(|c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        self.rest = end.map_or("", |end| &self.rest[end + 1..]);
    }

    /// Parses a negation, a parenthesis, `defined`, a number or a macro.
    fn parse_primary(&mut self) -> ConditionValue {
        self.depth += 1;
        if self.depth > 200 || self.rest.trim_start().starts_with("!=") {
            return ConditionValue::unknown(0);
        }
        if self.eat("!") {
            let operand = self.parse_primary();
            return ConditionValue { value: i64::from(!operand.holds()), ..operand };
        }
        if self.eat("(") {
            let value = self.parse_or();
            self.eat(")");
            return value;
        }
        let macros = self.macros;
        let word = self.word().to_owned();
        if word == "defined" {
            let open = self.eat("(");
            let name = self.word().to_owned();
            if open {
                self.eat(")");
            }
            return macros.defined(&name);
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return ConditionValue::known(number(&word));
        }
        if word.is_empty() {
            self.rest = "";
        }
        if self.eat("(") {
            // A feature test like `__has_include(…)`: assume the feature is there.
            self.skip_arguments();
            let test = word.to_ascii_lowercase();
            let has = test.contains("has_") || test.contains("have_");
            return ConditionValue::unknown(i64::from(has));
        }
        macros.value(&word)
    }
}

fn number(word: &str) -> i64 {
    let digits = word.trim_end_matches(['L', 'l', 'u', 'U']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).unwrap_or(1),
        None => digits.parse().unwrap_or(1),
    }
}
