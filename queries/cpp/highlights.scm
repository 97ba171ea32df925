; inherits: c
(namespace_identifier) @namespace
((namespace_identifier) @type (#match? @type "^[A-Z]"))
(this) @variable.builtin
(auto) @type.builtin
(class_specifier name: (type_identifier) @type.class)
(class_specifier name: (template_type name: (type_identifier) @type.class))
(struct_specifier name: (template_type name: (type_identifier) @type.struct))
(concept_definition name: (identifier) @type.interface)
(type_parameter_declaration (type_identifier) @type.parameter)
(optional_type_parameter_declaration name: (type_identifier) @type.parameter)
(variadic_type_parameter_declaration (type_identifier) @type.parameter)
(using_declaration "namespace" (identifier) @namespace)
(using_declaration "namespace" (qualified_identifier name: (identifier) @namespace))

; Functions.
(function_declarator declarator: (field_identifier) @function.method)
(function_declarator declarator: (qualified_identifier name: (identifier) @function.method))
(function_declarator
  declarator: (qualified_identifier name: (qualified_identifier name: (identifier) @function.method)))
(function_declarator declarator: (template_function name: (identifier) @function))
(function_declarator declarator: (reference_declarator (identifier) @function))
(destructor_name) @constructor
(destructor_name (identifier) @constructor)
(operator_name) @function.method
(call_expression function: (qualified_identifier name: (identifier) @function))
(call_expression
  function: (qualified_identifier name: (qualified_identifier name: (identifier) @function)))
(call_expression
  function: (qualified_identifier
    name: (qualified_identifier name: (qualified_identifier name: (identifier) @function))))
(template_function name: (identifier) @function)
(template_method name: (field_identifier) @function.method)
(field_initializer (field_identifier) @property)
(new_expression type: (type_identifier) @constructor)
(parameter_declaration declarator: (reference_declarator (identifier) @variable.parameter))
(optional_parameter_declaration declarator: (identifier) @variable.parameter)
(optional_parameter_declaration declarator: (pointer_declarator (identifier) @variable.parameter))
(optional_parameter_declaration declarator: (reference_declarator (identifier) @variable.parameter))
(variadic_parameter_declaration declarator: (variadic_declarator (identifier) @variable.parameter))

((template_function name: (identifier) @keyword)
  (#any-of? @keyword "const_cast" "dynamic_cast" "reinterpret_cast" "static_cast"))

; Literals and tokens.
(raw_string_literal) @string
(literal_suffix) @type.builtin
(user_defined_literal (number_literal) @number)
[
  "catch" "class" "co_await" "co_return" "co_yield" "concept" "consteval" "constinit" "decltype"
  "delete" "explicit" "final" "friend" "mutable" "namespace" "new" "noexcept" "override" "private"
  "protected" "public" "requires" "static_assert" "template" "throw" "try" "typename" "using"
  "virtual"
] @keyword
(default_method_clause "default" @keyword)
["and" "and_eq" "bitand" "bitor" "compl" "not" "not_eq" "or" "or_eq" "xor" "xor_eq"] @keyword.operator
["<=>" "->*" ".*"] @operator
(operator_name "operator" @keyword)
(template_argument_list ["<" ">"] @punctuation)
(template_parameter_list ["<" ">"] @punctuation)
(lambda_default_capture) @operator
