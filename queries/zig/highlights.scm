(identifier) @variable
((identifier) @type (#match? @type "^[A-Z][a-zA-Z0-9_]*[a-z]"))
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(variable_declaration (identifier) @type.struct (struct_declaration))
(variable_declaration (identifier) @type.struct [(union_declaration) (opaque_declaration)])
(variable_declaration (identifier) @type.enum [(enum_declaration) (error_set_declaration)])
(parameter name: (identifier) @variable.parameter)
(payload (identifier) @variable.parameter)
(parameter type: (identifier) @type)
(function_declaration type: (identifier) @type)
(builtin_type) @type.builtin
["anyframe"] @type.builtin

(container_field name: (identifier) @property)
(enum_declaration (container_field name: (identifier) @constant.member))
(field_expression member: (identifier) @property)
((field_expression member: (identifier) @type) (#match? @type "^[A-Z][a-zA-Z0-9_]*[a-z]"))
(field_expression !object member: (identifier) @constant.member)
(field_initializer (identifier) @property)
(error_set_declaration (identifier) @constant.member)
(error_type (identifier) @constant.member)

(function_declaration name: (identifier) @function)
(call_expression function: (identifier) @function)
(call_expression function: (field_expression member: (identifier) @function.method))
(builtin_identifier) @function.builtin
((builtin_function (builtin_identifier) @keyword) (#any-of? @keyword "@import" "@cImport"))

[(block_label (identifier) @label) (break_label (identifier) @label)]

(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^//[/!]"))
[(string) (multiline_string) (character)] @string
(escape_sequence) @escape
[(integer) (float)] @number
(boolean) @boolean
["null" "undefined" "unreachable"] @constant.builtin

[
  "addrspace" "align" "allowzero" "asm" "async" "await" "break" "callconv" "catch" "comptime" "const" "continue" "defer" "else"
  "enum" "errdefer" "error" "export" "extern" "fn" "for" "if" "inline" "linksection" "noalias" "noinline" "nosuspend"
  "opaque" "packed" "pub" "resume" "return" "struct" "suspend" "switch" "test" "threadlocal" "try" "union" "usingnamespace"
  "var" "volatile" "while"
] @keyword
["and" "or" "orelse"] @keyword.operator
[
  "=" "+" "-" "*" "/" "%" "==" "!=" "<" ">" "<=" ">=" "&" "|" "^" "~" "!" "<<" ">>" "++" "**" "||" "?" "->" "=>" ".." "..."
  ".*" ".?" "+=" "-=" "*=" "/=" "%=" "&=" "|=" "^=" "<<=" ">>=" "+%" "-%" "*%" "+|" "-|" "*|" "<<|" "+%=" "-%=" "*%=" "+|=" "-|=" "*|=" "<<|="
] @operator
["(" ")" "[" "]" "{" "}" "," ";" ":" "."] @punctuation
(payload "|" @punctuation)
