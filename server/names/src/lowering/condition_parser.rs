//! Evaluation of preprocessor conditions, with three outcomes: true, false, or assumed because a
//! macro in it is not defined here.

/// The value of a condition or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Verdict {
    pub(crate) value: i64,
    /// Whether the value holds in every build for a platform like this.
    pub(crate) known: bool,
}

impl Verdict {
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
pub(crate) trait Known {
    /// Whether a macro is defined.
    fn defined(&self, name: &str) -> Verdict;

    /// The value of a macro in a condition.
    fn value(&self, name: &str) -> Verdict;
}

/// A recursive-descent parser and evaluator; unknown macros count as 0.
pub(crate) struct Condition<'w, K: Known> {
    pub(crate) macros: &'w K,
    pub(crate) rest: &'w str,
    pub(crate) depth: u32,
}

impl<K: Known> Condition<'_, K> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest;
        true
    }

    pub(crate) fn either(&mut self) -> Verdict {
        let mut left = self.both();
        while self.eat("||") {
            let right = self.both();
            let certain = |v: Verdict| v.known && v.holds();
            let known = certain(left) || certain(right) || left.known && right.known;
            left = Verdict { value: i64::from(left.holds() || right.holds()), known };
        }
        left
    }

    fn both(&mut self) -> Verdict {
        let mut left = self.compared();
        while self.eat("&&") {
            let right = self.compared();
            let never = |v: Verdict| v.known && !v.holds();
            let known = never(left) || never(right) || left.known && right.known;
            left = Verdict { value: i64::from(left.holds() && right.holds()), known };
        }
        left
    }

    fn compared(&mut self) -> Verdict {
        let left = self.operator_result();
        for (token, is) in [
            ("==", (|a, b| a == b) as fn(i64, i64) -> bool),
            ("!=", |a, b| a != b),
            (">=", |a, b| a >= b),
            ("<=", |a, b| a <= b),
            (">", |a, b| a > b),
            ("<", |a, b| a < b),
        ] {
            if self.eat(token) {
                let right = self.operator_result();
                return left.of(right, i64::from(is(left.value, right.value)));
            }
        }
        left
    }

    fn operator_result(&mut self) -> Verdict {
        let mut left = self.product();
        loop {
            if self.eat("+") {
                let right = self.product();
                left = left.of(right, left.value.saturating_add(right.value));
            } else if self.eat("-") {
                let right = self.product();
                left = left.of(right, left.value.saturating_sub(right.value));
            } else {
                return left;
            }
        }
    }

    fn product(&mut self) -> Verdict {
        let mut left = self.unit();
        loop {
            if self.eat("*") {
                let right = self.unit();
                left = left.of(right, left.value.saturating_mul(right.value));
            } else if self.eat("/") {
                let right = self.unit();
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

    fn unit(&mut self) -> Verdict {
        self.depth += 1;
        if self.depth > 200 || self.rest.trim_start().starts_with("!=") {
            return Verdict::unknown(0);
        }
        if self.eat("!") {
            let operand = self.unit();
            return Verdict { value: i64::from(!operand.holds()), ..operand };
        }
        if self.eat("(") {
            let value = self.either();
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
            return Verdict::known(number(&word));
        }
        if word.is_empty() {
            self.rest = "";
        }
        if self.eat("(") {
            // A feature test like `__has_include(…)`: assume the feature is there.
            self.skip_arguments();
            let test = word.to_ascii_lowercase();
            let has = test.contains("has_") || test.contains("have_");
            return Verdict::unknown(i64::from(has));
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
