(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^---"))
(hash_bang_line) @comment

; Identifiers, the most general patterns first.
(identifier) @variable
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(dot_index_expression field: (identifier) @property)
(field name: (identifier) @property)
(parameters (identifier) @variable.parameter)
((identifier) @variable.builtin (#any-of? @variable.builtin "self" "_G" "_ENV" "_VERSION"))
((identifier) @namespace
  (#any-of? @namespace "coroutine" "debug" "io" "math" "os" "package" "string" "table" "utf8"))
(attribute (identifier) @attribute)
(goto_statement (identifier) @label)
(label_statement (identifier) @label)

; Calls and declarations.
(function_call name: (identifier) @function)
(function_call name: (dot_index_expression field: (identifier) @function))
(method_index_expression method: (identifier) @function.method)
(function_declaration name: (identifier) @function)
(function_declaration name: (dot_index_expression field: (identifier) @function))
(assignment_statement
  (variable_list . name: [(identifier) @function (dot_index_expression field: (identifier) @function)])
  (expression_list . value: (function_definition)))
(field name: (identifier) @function value: (function_definition))
(function_call
  name: (identifier) @function.builtin
  (#any-of? @function.builtin
    "assert" "collectgarbage" "dofile" "error" "getfenv" "getmetatable" "ipairs" "load" "loadfile"
    "loadstring" "module" "next" "pairs" "pcall" "print" "rawequal" "rawget" "rawlen" "rawset"
    "require" "select" "setfenv" "setmetatable" "tonumber" "tostring" "type" "unpack" "xpcall"))

; Literals.
(string) @string
(escape_sequence) @escape
(number) @number
[(true) (false)] @boolean
(nil) @constant.builtin
(vararg_expression) @variable.builtin

; Keywords.
[
  "do" "else" "elseif" "end" "for" "function" "global" "goto" "if" "in" "local" "repeat" "return"
  "then" "until" "while"
] @keyword
(break_statement) @keyword
["and" "not" "or"] @keyword.operator
[
  "#" "%" "&" "*" "+" "-" ".." "/" "//" "<" "<<" "<=" "=" "==" ">" ">=" ">>" "^" "|" "~" "~="
] @operator
["(" ")" "[" "]" "{" "}" ";" "," "." ":" "::"] @punctuation
