(simple_identifier) @variable
(type_identifier) @type
((type_identifier) @type.builtin
  (#any-of? @type.builtin
    "Int" "Int8" "Int16" "Int32" "Int64" "UInt" "UInt8" "UInt16" "UInt32" "UInt64" "Double" "Float" "Bool" "String"
    "Character" "Void" "Any" "AnyObject" "Never" "Array" "Dictionary" "Set" "Optional" "Self"))
((simple_identifier) @type (#match? @type "^[A-Z]"))
(type_parameter (type_identifier) @type.parameter)
(class_declaration declaration_kind: "class" name: (type_identifier) @type.class)
(class_declaration declaration_kind: "actor" name: (type_identifier) @type.class)
(class_declaration declaration_kind: "struct" name: (type_identifier) @type.struct)
(class_declaration declaration_kind: "enum" name: (type_identifier) @type.enum)
(protocol_declaration name: (type_identifier) @type.interface)
(import_declaration (identifier (simple_identifier) @namespace))
(import_declaration (identifier) @namespace)

(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @property)))
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @property)))
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @property))
(navigation_suffix suffix: (simple_identifier) @property)
(key_path_expression (simple_identifier) @property)
(enum_entry name: (simple_identifier) @constant.member)
(pattern "." (simple_identifier) @constant.member)
(prefix_expression operation: "." target: (simple_identifier) @constant.member)

(parameter external_name: (simple_identifier) @label)
(parameter name: (simple_identifier) @variable.parameter)
(lambda_parameter name: (simple_identifier) @variable.parameter)
(value_argument_label (simple_identifier) @label)
(statement_label) @label

(function_declaration name: (simple_identifier) @function)
(protocol_function_declaration name: (simple_identifier) @function.method)
(call_expression (simple_identifier) @function)
((call_expression (simple_identifier) @constructor) (#match? @constructor "^[A-Z]"))
(call_expression (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @function.method)))
(call_expression (prefix_expression operation: "." target: (simple_identifier) @function.method))
(macro_invocation "#" @function.macro (simple_identifier) @function.macro)
(macro_declaration (simple_identifier) @function.macro)
(attribute "@" @attribute)
(attribute (user_type) @attribute)
(attribute (user_type (type_identifier) @attribute))
(directive) @function.macro
(diagnostic) @function.macro
(special_literal) @constant.builtin

[(comment) (multiline_comment)] @comment
((comment) @comment.documentation (#match? @comment.documentation "^///"))
((multiline_comment) @comment.documentation (#match? @comment.documentation "^/[*][*]"))
(shebang_line) @comment

[(line_string_literal) (multi_line_string_literal) (raw_string_literal)] @string
(str_escaped_char) @escape
(interpolated_expression) @embedded
["\\(" ] @escape
(regex_literal) @string.regexp
[(integer_literal) (hex_literal) (oct_literal) (bin_literal) (real_literal)] @number
(boolean_literal) @boolean
(nil_literal) @constant.builtin
[(self_expression) (super_expression)] @variable.builtin
((simple_identifier) @variable.builtin (#any-of? @variable.builtin "self" "$0" "$1" "$2" "newValue" "oldValue"))

[
  (visibility_modifier) (member_modifier) (function_modifier) (mutation_modifier) (property_modifier) (ownership_modifier)
  (inheritance_modifier) (property_behavior_modifier) (parameter_modifier) (getter_specifier) (setter_specifier)
  (modify_specifier) (throws) (default_keyword) (catch_keyword) (throw_keyword) (where_keyword) (try_operator) (else)
] @keyword
[
  "actor" "any" "as" "as!" "as?" "associatedtype" "async" "await" "break" "case" "class" "continue" "convenience" "deinit" "didSet"
  "do" "each" "enum" "extension" "fallthrough" "fileprivate" "final" "for" "func" "get" "guard" "if" "import" "in" "indirect"
  "infix" "init" "inout" "internal" "is" "lazy" "let" "macro" "mutating" "nonisolated" "nonmutating" "open" "operator" "optional"
  "override" "postfix" "precedencegroup" "prefix" "private" "protocol" "public" "repeat" "required" "return" "set" "some"
  "static" "struct" "subscript" "switch" "try" "typealias" "unowned" "var" "weak" "while" "willSet" "yield"
] @keyword

[
  "+" "-" "*" "/" "%" "=" "+=" "-=" "*=" "/=" "%=" "==" "!=" "===" "!==" "<" ">" "<=" ">=" "&&" "||" "!" "??" "?" "&" "|" "^" "~"
  "<<" ">>" "++" "--" "..." "..<" "->"
] @operator
[(bang) (custom_operator)] @operator
["(" ")" "[" "]" "{" "}" "," ":" ";" "."] @punctuation
(type_arguments ["<" ">"] @punctuation)
(type_parameters ["<" ">"] @punctuation)
