; Identifiers, the most general patterns first: later patterns win.
(identifier) @variable
((identifier) @type.class (#match? @type.class "^[A-Z].*[a-z]"))
((identifier) @constant (#match? @constant "^_*[A-Z][A-Z0-9_$]+$"))
[(property_identifier) (private_property_identifier)] @property
[(shorthand_property_identifier) (shorthand_property_identifier_pattern)] @variable
(statement_identifier) @label
[(this) (super)] @variable.builtin
((identifier) @variable.builtin
  (#any-of? @variable.builtin
    "arguments" "console" "document" "exports" "global" "globalThis" "module" "process" "self"
    "window"))
((property_identifier) @constant (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))

; Declarations.
(function_declaration name: (identifier) @function)
(function_expression name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(generator_function name: (identifier) @function)
(method_definition name: [(property_identifier) (private_property_identifier)] @function.method)
(method_definition name: (property_identifier) @constructor (#eq? @constructor "constructor"))
(variable_declarator
  name: (identifier) @function
  value: [(arrow_function) (function_expression) (generator_function)])
(assignment_expression
  left: (member_expression property: (property_identifier) @function.method)
  right: [(arrow_function) (function_expression) (generator_function)])
(pair
  key: (property_identifier) @function.method
  value: [(arrow_function) (function_expression) (generator_function)])
(arrow_function parameter: (identifier) @variable.parameter)
(catch_clause parameter: (identifier) @variable.parameter)

; Calls.
(call_expression function: (identifier) @function)
(call_expression
  function: (member_expression
    property: [(property_identifier) (private_property_identifier)] @function.method))
(call_expression function: (identifier) @function.builtin
  (#any-of? @function.builtin
    "clearInterval" "clearTimeout" "decodeURI" "decodeURIComponent" "encodeURI"
    "encodeURIComponent" "eval" "fetch" "isFinite" "isNaN" "parseFloat" "parseInt" "queueMicrotask"
    "require" "setImmediate" "setInterval" "setTimeout" "structuredClone"))
(new_expression constructor: (identifier) @constructor)
(new_expression constructor: (member_expression property: (property_identifier) @constructor))
(namespace_import (identifier) @namespace)

; Decorators.
(decorator "@" @attribute)
(decorator (identifier) @attribute)
(decorator (member_expression property: (property_identifier) @attribute))
(decorator (call_expression function: (identifier) @attribute))
(decorator
  (call_expression function: (member_expression property: (property_identifier) @attribute)))

; Literals.
(number) @number
[(true) (false)] @boolean
[(null) (undefined)] @constant.builtin
((identifier) @constant.builtin (#match? @constant.builtin "^(NaN|Infinity)$"))
[(string) (template_string)] @string
(regex) @string.regexp
(regex_flags) @keyword
(escape_sequence) @escape
(template_substitution) @embedded
[(comment) (html_comment) (hash_bang_line)] @comment
((comment) @comment.documentation (#match? @comment.documentation "^/\\*\\*[^*/]"))

; Tokens.
[
  "as" "async" "await" "break" "case" "catch" "class" "const" "continue" "debugger" "default" "do"
  "else" "export" "extends" "finally" "for" "from" "function" "get" "if" "import" "let" "new" "of"
  "return" "set" "static" "switch" "target" "throw" "try" "using" "var" "while" "with" "yield"
] @keyword
["delete" "in" "instanceof" "typeof" "void"] @keyword.operator
(for_in_statement operator: "in" @keyword)
(meta_property "meta" @property)
[
  "!" "!=" "!==" "%" "%=" "&" "&&" "&&=" "&=" "*" "**" "**=" "*=" "+" "++" "+=" "-" "--" "-=" "..."
  "/" "/=" "<<" "<<=" "<=" "=" "==" "===" "=>" ">=" ">>" ">>=" ">>>" ">>>=" "??" "??=" "^" "^=" "|"
  "|=" "||" "||=" "~"
] @operator
(ternary_expression ["?" ":"] @operator)
(binary_expression ["<" ">"] @operator)
["(" ")" "[" "]" "{" "}" "," "." ";" (optional_chain)] @punctuation
(pair ":" @punctuation)
(pair_pattern ":" @punctuation)
(switch_case ":" @punctuation)
(switch_default ":" @punctuation)
(labeled_statement ":" @punctuation)
(template_substitution ["${" "}"] @punctuation)
(regex "/" @string.regexp)
