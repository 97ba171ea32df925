(identifier) @variable
(constant) @type
((constant) @constant (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(assignment left: (constant) @constant)
(scope_resolution scope: (constant) @namespace)
(module name: (constant) @namespace)
(module name: (scope_resolution name: (constant) @namespace))
(class name: (constant) @type.class)
(class name: (scope_resolution name: (constant) @type.class))

[(instance_variable) (class_variable)] @property
(global_variable) @variable.builtin
[(self) (super)] @variable.builtin
(nil) @constant.builtin
[(true) (false)] @boolean
[(line) (file) (encoding)] @constant.builtin
[(integer) (float) (complex) (rational)] @number

(comment) @comment
(uninterpreted) @comment

[(string) (bare_string) (character) (subshell) (heredoc_body)] @string
[(heredoc_beginning) (heredoc_end)] @label
(regex) @string.regexp
[(simple_symbol) (delimited_symbol) (bare_symbol) (hash_key_symbol)] @string.special
(pair key: (hash_key_symbol) @property)
(keyword_pattern key: (hash_key_symbol) @property)
(escape_sequence) @escape
(interpolation) @embedded
(interpolation ["#{" "}"] @punctuation)

; Parameters
(method_parameters (identifier) @variable.parameter)
(block_parameters (identifier) @variable.parameter)
(lambda_parameters (identifier) @variable.parameter)
(destructured_parameter (identifier) @variable.parameter)
[
  (optional_parameter name: (identifier) @variable.parameter)
  (keyword_parameter name: (identifier) @variable.parameter)
  (splat_parameter name: (identifier) @variable.parameter)
  (hash_splat_parameter name: (identifier) @variable.parameter)
  (block_parameter name: (identifier) @variable.parameter)
]

; Methods
(call method: [(identifier) (constant)] @function.method)
(call !receiver method: (identifier) @function)
(call
  !receiver
  method: (identifier) @keyword
  (#any-of? @keyword
    "require" "require_relative" "load" "autoload" "include" "extend" "prepend" "raise" "loop" "lambda" "proc"
    "private" "protected" "public" "module_function" "private_constant" "refine" "using" "catch" "throw" "fail"))
((identifier) @keyword (#any-of? @keyword "private" "protected" "public" "module_function"))
(call
  !receiver
  method: (identifier) @attribute
  (#any-of? @attribute "attr_reader" "attr_writer" "attr_accessor" "attr" "define_method" "alias_method"))
(call
  !receiver
  method: (identifier) @function.builtin
  (#any-of? @function.builtin
    "puts" "print" "p" "pp" "printf" "putc" "gets" "format" "sprintf" "rand" "srand" "sleep" "exit" "abort" "at_exit"
    "binding" "caller" "eval" "exec" "fork" "open" "system" "trap" "warn" "Integer" "Float" "String" "Array" "Hash"))
((identifier) @function.builtin (#any-of? @function.builtin "block_given?" "binding" "__method__" "__dir__"))
(call method: (identifier) @keyword (#eq? @keyword "new"))
(method name: [(identifier) (constant)] @function.method)
(method name: (operator) @function.method)
(method name: (setter) @function.method)
(singleton_method name: [(identifier) (constant)] @function.method)
(singleton_method name: (setter) @function.method)
(alias (identifier) @function.method)
(undef (identifier) @function.method)
(block_argument (simple_symbol) @function.method)

[
  "alias" "begin" "BEGIN" "break" "case" "class" "def" "do" "else" "elsif" "end" "END" "ensure" "for" "if" "in"
  "module" "next" "redo" "rescue" "retry" "return" "then" "undef" "unless" "until" "when" "while" "yield"
] @keyword
["and" "or" "not" "defined?"] @keyword.operator

[
  "=" "=>" "->" "+" "-" "*" "/" "%" "**" "==" "===" "!=" "=~" "!~" "<=>" "<" "<=" ">" ">=" "&&" "||" "!" "~" "&" "|"
  "^" "<<" ">>" ".." "..." "?" "+=" "-=" "*=" "**=" "/=" "||=" "|=" "&&=" "&=" "%=" ">>=" "<<=" "^=" "&."
] @operator
["(" ")" "[" "]" "{" "}" "," ";" "." ":" "::" "%w(" "%i("] @punctuation
(block_parameters "|" @punctuation)
(regex "/" @string.regexp)
