((name) @constant (#match? @constant "^[A-Z_][A-Z0-9_]*$"))
((name) @type (#match? @type "^[A-Z].*[a-z]"))
(named_type [(name) (qualified_name (name)) (relative_name)] @type)
[(primitive_type) (cast_type) (bottom_type)] @type.builtin
(namespace_name (name) @namespace)
(qualified_name (name) @type)
(namespace_use_clause alias: (name) @type)
(namespace_use_clause (name) @type)

(variable_name) @variable
((variable_name (name) @variable) (#match? @variable "^[A-Z_]"))
((variable_name) @variable.builtin (#eq? @variable.builtin "$this"))
(relative_scope) @variable.builtin
((name) @constant.builtin (#match? @constant.builtin "^__[A-Z]+__$"))

(simple_parameter name: (variable_name) @variable.parameter)
(variadic_parameter name: (variable_name) @variable.parameter)
(property_promotion_parameter name: (variable_name) @property)
(property_element name: (variable_name) @property)
(member_access_expression name: (name) @property)
(nullsafe_member_access_expression name: (name) @property)
(scoped_property_access_expression name: (variable_name) @property)
(argument name: (name) @variable.parameter)

(class_declaration name: (name) @type.class)
(interface_declaration name: (name) @type.interface)
(trait_declaration name: (name) @type.class)
(enum_declaration name: (name) @type.enum)
(enum_case name: (name) @constant.member)
(const_element (name) @constant)
(base_clause (name) @type)
(class_interface_clause (name) @type)
(use_declaration (name) @type)
(object_creation_expression (name) @type)
(class_constant_access_expression . (name) @type)
(class_constant_access_expression (_) (name) @constant)
(scoped_call_expression scope: (name) @type)
(scoped_property_access_expression scope: (name) @type)
(binary_expression operator: "instanceof" right: (name) @type)
(attribute [(name) (qualified_name)] @attribute)

(array_creation_expression "array" @keyword)
(list_literal "list" @keyword)
(function_definition name: (name) @function)
(method_declaration name: (name) @function.method)
((method_declaration name: (name) @constructor) (#eq? @constructor "__construct"))
(function_call_expression function: (name) @function)
(function_call_expression function: (qualified_name (name) @function))
(function_call_expression
  function: (name) @function.builtin
  (#any-of? @function.builtin "isset" "empty" "array" "list" "define" "defined" "compact" "extract" "count" "is_array" "is_string" "in_array" "sprintf" "printf"))
(scoped_call_expression name: (name) @function.method)
(member_call_expression name: (name) @function.method)
(nullsafe_member_call_expression name: (name) @function.method)

[(string) (encapsed_string) (heredoc) (nowdoc) (shell_command_expression)] @string
[(heredoc_start) (heredoc_end)] @label
(escape_sequence) @escape
[(integer) (float)] @number
(boolean) @boolean
(null) @constant.builtin
(named_label_statement (name) @label)
(goto_statement (name) @label)

(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^/[*][*][^/]"))

[(php_tag) (php_end_tag)] @tag
[
  (abstract_modifier) (final_modifier) (readonly_modifier) (static_modifier) (var_modifier) (visibility_modifier)
] @keyword
(visibility_modifier (operation) @keyword)
[
  "abstract" "as" "break" "case" "catch" "class" "clone" "const" "continue" "declare" "default" "do" "echo" "else" "elseif"
  "enddeclare" "endfor" "endforeach" "endif" "endswitch" "endwhile" "enum" "exit" "extends" "finally" "fn" "for" "foreach"
  "function" "global" "goto" "if" "implements" "include" "include_once" "insteadof" "interface" "match" "namespace" "new"
  "print" "private" "protected" "public" "readonly" "require" "require_once" "return" "static" "switch" "throw" "trait" "try"
  "unset" "use" "while" "yield" "yield from" "ticks" "encoding" "strict_types"
] @keyword
["and" "or" "xor" "instanceof"] @keyword.operator
[
  "=" "+" "-" "*" "/" "%" "**" "." "==" "===" "!=" "!==" "<>" "<" ">" "<=" ">=" "<=>" "&&" "||" "!" "&" "|" "^" "~" "<<" ">>"
  "??" "?" "@" "++" "--" "+=" "-=" "*=" "/=" ".=" "%=" "**=" "&=" "|=" "^=" "<<=" ">>=" "??=" "=>" "->" "?->" "..."
] @operator
["(" ")" "[" "]" "{" "}" "," ";" ":" "::" "\\" "#["] @punctuation
(encapsed_string ["{" "}"] @punctuation)
