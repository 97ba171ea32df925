(comment) @comment
((comment) @comment.documentation (#match? @comment.documentation "^(///|/\\*\\*)"))

; Identifiers, the most general patterns first.
(identifier) @variable
(member_access_expression name: (identifier) @property)
(member_binding_expression name: (identifier) @property)
(property_pattern_clause (subpattern . (identifier) @property))
(parameter name: (identifier) @variable.parameter)
(implicit_parameter) @variable.parameter
(argument name: (identifier) @variable.parameter)
((identifier) @constant (#match? @constant "^[A-Z][A-Z0-9]*_[A-Z0-9_]*$"))
(labeled_statement . (identifier) @label)
(goto_statement (identifier) @label)

; Calls.
(invocation_expression function: (identifier) @function)
(invocation_expression function: (generic_name . (identifier) @function))
(invocation_expression
  function: (member_access_expression
    name: [(identifier) @function.method (generic_name . (identifier) @function.method)]))
(invocation_expression
  function: (conditional_access_expression
    (member_binding_expression
      name: [(identifier) @function.method (generic_name . (identifier) @function.method)])))

; Types.
(predefined_type) @type.builtin
(implicit_type) @keyword
(_ type: (identifier) @type)
(_ type: (generic_name . (identifier) @type))
(_ returns: (identifier) @type)
(_ returns: (generic_name . (identifier) @type))
(generic_name . (identifier) @type)
(invocation_expression function: (generic_name . (identifier) @function))
(invocation_expression
  function: (member_access_expression name: (generic_name . (identifier) @function.method)))
(type_argument_list (identifier) @type)
(base_list (identifier) @type)
(nullable_type type: (identifier) @type)
(array_type type: (identifier) @type)
(as_expression right: (identifier) @type)
(is_expression right: (identifier) @type)
(type_parameter name: (identifier) @type.parameter)
(type_parameter_constraints_clause (identifier) @type.parameter)
(type_parameter_constraint type: (identifier) @type)
(qualified_name qualifier: (identifier) @namespace)
(qualified_name name: (identifier) @type)
(using_directive (identifier) @namespace)
(using_directive (qualified_name name: (identifier) @namespace))
(using_directive name: (identifier) @type)
(namespace_declaration name: (identifier) @namespace)
(namespace_declaration name: (qualified_name name: (identifier) @namespace))
(file_scoped_namespace_declaration name: (identifier) @namespace)
(file_scoped_namespace_declaration name: (qualified_name name: (identifier) @namespace))
(qualified_name qualifier: (qualified_name name: (identifier) @namespace))
(attribute name: (identifier) @attribute)
(attribute name: (qualified_name name: (identifier) @attribute))

; Declarations.
(class_declaration name: (identifier) @type.class)
(record_declaration name: (identifier) @type.class)
(struct_declaration name: (identifier) @type.struct)
(interface_declaration name: (identifier) @type.interface)
(enum_declaration name: (identifier) @type.enum)
(enum_member_declaration name: (identifier) @constant.member)
(delegate_declaration name: (identifier) @type)
(constructor_declaration name: (identifier) @constructor)
(destructor_declaration name: (identifier) @constructor)
(object_creation_expression type: (identifier) @constructor)
(method_declaration name: (identifier) @function.method)
(local_function_statement name: (identifier) @function)
(property_declaration name: (identifier) @property)
(event_declaration name: (identifier) @property)
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @property)))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @property)))
((field_declaration
  (modifier) @_const
  (variable_declaration (variable_declarator name: (identifier) @constant)))
  (#eq? @_const "const"))

; Literals.
[
  (string_literal) (verbatim_string_literal) (raw_string_literal) (character_literal)
  (interpolated_string_expression)
] @string
(interpolation (identifier) @variable)
[(interpolation_brace) (interpolation_start)] @punctuation
(interpolation_format_clause) @string.special
(escape_sequence) @escape
[(integer_literal) (real_literal)] @number
(boolean_literal) @boolean
(null_literal) @constant.builtin
(discard) @variable.builtin
["this" "base"] @variable.builtin

; Keywords.
(modifier) @keyword
[
  "abstract" "add" "alias" "as" "ascending" "assembly" "async" "await" "break" "by" "case" "catch" "checked"
  "class" "const" "continue" "default" "delegate" "descending" "do" "else" "enum" "equals" "event"
  "explicit" "extern" "finally" "fixed" "for" "foreach" "from" "get" "global" "goto" "group" "if"
  "implicit" "in" "init" "interface" "into" "is" "join" "let" "lock" "module" "namespace" "new" "notnull"
  "on" "operator" "orderby" "out" "override" "params" "partial" "private" "protected" "public"
  "readonly" "record" "ref" "remove" "required" "return" "scoped" "sealed" "select" "set" "sizeof"
  "stackalloc" "static" "struct" "switch" "throw" "try" "typeof" "unchecked" "unmanaged" "unsafe"
  "using" "var" "virtual" "volatile" "when" "where" "while" "with" "yield"
] @keyword
["and" "or" "not"] @keyword.operator
[
  "#define" "#elif" "#else" "#endif" "#endregion" "#error" "#if" "#line" "#nullable" "#pragma"
  "#region" "#undef" "#warning"
] @function.macro
(preproc_arg) @string.special
[
  "!" "!=" "%" "%=" "&" "&&" "&=" "*" "*=" "+" "++" "+=" "-" "--" "-=" "->" ".." "/" "/=" "<" "<<"
  "<<=" "<=" "=" "==" "=>" ">" ">=" ">>" ">>=" ">>>" ">>>=" "?" "??" "??=" "^" "^=" "|" "|=" "||"
  "~"
] @operator
["(" ")" "[" "]" "{" "}" ";" "," "." ":" "::"] @punctuation
(type_argument_list ["<" ">"] @punctuation)
(type_parameter_list ["<" ">"] @punctuation)
