[(line_comment) (block_comment)] @comment
((block_comment) @comment.documentation (#match? @comment.documentation "^/\\*\\*"))
(shebang) @comment

; Identifiers, the most general patterns first.
(identifier) @variable
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9]*_[A-Z0-9_]*$"))
((identifier) @variable.builtin (#any-of? @variable.builtin "it" "field"))
(navigation_expression (_) (identifier) @property)
(class_parameter (identifier) @property)
(parameter (identifier) @variable.parameter)
(lambda_parameters (variable_declaration (identifier) @variable.parameter))
(value_argument . (identifier) @variable.parameter "=")
(class_body
  (property_declaration (variable_declaration (identifier) @property)))
(property_declaration
  (modifiers (property_modifier "const"))
  (variable_declaration (identifier) @constant))
(infix_expression (_) (identifier) @function (_))

; Calls.
(call_expression . (identifier) @function)
((call_expression . (identifier) @constructor) (#match? @constructor "^[A-Z]"))
(call_expression . (navigation_expression (_) (identifier) @function.method))
(callable_reference "::" (identifier) @function)
(function_declaration name: (identifier) @function)
(class_body (function_declaration name: (identifier) @function.method))

; Types.
(user_type (identifier) @type)
((user_type (identifier) @type.builtin)
  (#any-of? @type.builtin
    "Any" "Boolean" "Byte" "Char" "Double" "Float" "Int" "Long" "Nothing" "Short" "String" "UByte"
    "UInt" "ULong" "UShort" "Unit"))
(type_parameter (identifier) @type.parameter)
(type_constraint . (identifier) @type.parameter)
(class_declaration "class" name: (identifier) @type.class)
(class_declaration "interface" name: (identifier) @type.interface)
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @type.enum)
(object_declaration name: (identifier) @type.class)
(companion_object name: (identifier) @type.class)
(type_alias type: (identifier) @type)
(enum_entry (identifier) @constant.member)
(package_header (qualified_identifier (identifier) @namespace))
(import (qualified_identifier (identifier) @namespace))
((import (qualified_identifier (identifier) @type .)) (#match? @type "^[A-Z]"))
((import (identifier) @type) (#match? @type "^[A-Z]"))
((navigation_expression "::" (identifier) @keyword) (#eq? @keyword "class"))
(annotation [(user_type (identifier) @attribute) (constructor_invocation (user_type (identifier) @attribute))])
(file_annotation [(user_type (identifier) @attribute) (constructor_invocation (user_type (identifier) @attribute))])
[(annotation "@" @attribute) (file_annotation "@" @attribute)]
(use_site_target) @attribute
(label) @label

; Literals.
[(string_literal) (multiline_string_literal) (character_literal)] @string
(escape_sequence) @escape
(interpolation ["$" "${" "}"] @punctuation)
(interpolation) @embedded
(interpolation (identifier) @variable)
[(number_literal) (float_literal)] @number
((identifier) @boolean (#any-of? @boolean "true" "false"))
((identifier) @constant.builtin (#eq? @constant.builtin "null"))
["this" "super" "this@" "super@"] @variable.builtin

; Keywords.
[
  "as" "as?" "by" "catch" "class" "companion" "constructor" "do" "else" "finally" "for" "fun"
  "get" "if" "import" "in" "!in" "init" "interface" "is" "!is" "object" "package" "return"
  "return@" "set" "throw" "try" "typealias" "val" "var" "when" "where" "while" "dynamic" "file"
] @keyword
[
  (class_modifier) (function_modifier) (inheritance_modifier) (member_modifier)
  (parameter_modifier) (platform_modifier) (property_modifier) (visibility_modifier)
  (variance_modifier) (reification_modifier)
] @keyword
((identifier) @keyword (#any-of? @keyword "break" "continue"))
[
  "!" "!!" "!=" "!==" "%" "%=" "&&" "*" "*=" "+" "++" "+=" "-" "--" "-=" "->" ".." "..<" "/" "/="
  "<" "<=" "=" "==" "===" ">" ">=" "?:" "||"
] @operator
["(" ")" "[" "]" "{" "}" "," "." "?." ":" "::" ";" "?"] @punctuation
(type_arguments ["<" ">"] @punctuation)
(type_parameters ["<" ">"] @punctuation)
