; Name resolution for Go. Each pattern assigns a node rule to a kind of node and roles to its children;
; server/names/src/vocabulary.rs lists both.

(source_file (#set! namespaces "one") (#set! constraints "comments")) @scope.file
(package_clause (package_identifier) @name (#set! flags "exported")) @package

; Imports: the package name is the last component of its path.
(import_spec name: (_) @alias path: (_) @path (#set! flags "static")) @import_name

; Definitions
(function_declaration
  name: (_) @name type_parameters: (_) @value parameters: (_) @parameters result: (_) @returns
  body: (_) @body (#set! scope "function")) @define.function
(method_declaration
  receiver: (_) @receiver name: (_) @name parameters: (_) @parameters result: (_) @returns
  body: (_) @body (#set! scope "function")) @define.method
(method_elem name: (_) @name parameters: (_) @parameters result: (_) @returns
  (#set! scope "function")) @define.method
(type_spec name: (_) @name type_parameters: (_) @value type: (_) @type
  (#set! scope "template")) @define.type
(type_alias name: (_) @name type_parameters: (_) @value type: (_) @type
  (#set! scope "template")) @define.type
(type_parameter_declaration name: (_) @pattern type: (_) @type) @bind.type_parameter
(struct_type) @scope.members
(interface_type) @scope.members
(field_declaration name: (_) @pattern type: (_) @type tag: (_) @skip (#set! flags "embedded")) @bind.field
(type_elem) @embed
(func_literal parameters: (_) @parameters result: (_) @returns body: (_) @body) @lambda
(function_type parameters: (_) @parameters result: (_) @returns) @function_type

; Parameters, which are visible in the body but not to each other; unnamed results are types.
(parameter_list) @tuple
(parameter_declaration name: (_) @pattern type: (_) @type (#set! flags "signature")) @bind.parameter
(variadic_parameter_declaration name: (_) @pattern type: (_) @type (#set! flags "variadic signature")) @bind.parameter

; Bindings
(var_spec name: (_) @pattern type: (_) @type value: (_) @value
  (#set! visible "after") (#set! derive "position")) @bind.variable
(const_spec name: (_) @pattern type: (_) @type value: (_) @value
  (#set! visible "after") (#set! derive "position")) @bind.constant
(short_var_declaration left: (_) @pattern right: (_) @value (#set! visible "after")) @bind.variable
(range_clause left: (_) @pattern right: (_) @value (#set! visible "after")
  (#set! derive "element")) @bind.variable
(receive_statement left: (_) @pattern right: (_) @value (#set! visible "after")) @bind.variable
(type_switch_statement alias: (_) @pattern value: (_) @value (#set! scope "block")) @bind.variable
(expression_list) @tuple

; Scopes
; Declarations directly in a function's body share a scope with its parameters.
(block (#set! visible "function")) @scope.block
(if_statement) @scope.block
(for_statement) @scope.block
(expression_switch_statement) @scope.block
(expression_case) @scope.block
(default_case) @scope.block
(type_case type: (_) @type (#set! scope "block")) @type_case
(communication_case) @scope.block

; Expressions
(identifier) @name
(field_identifier) @name
(package_identifier) @name
(type_identifier) @name
(blank_identifier) @skip
(selector_expression operand: (_) @object field: (_) @member) @member
(qualified_type package: (_) @object name: (_) @member) @member
(call_expression function: (_) @callee type_arguments: (_) @type_arguments arguments: (_) @arguments) @call
(argument_list) @list
(type_arguments) @list
(composite_literal type: (_) @target body: (_) @body) @construct
(literal_value) @initializer
(keyed_element key: (_) @key value: (_) @value) @pair
(literal_element) @pass
(index_expression operand: (_) @object index: (_) @value) @index
(slice_expression operand: (_) @object) @slice
(type_assertion_expression operand: (_) @value type: (_) @type) @cast
(type_conversion_expression type: (_) @type operand: (_) @value) @conversion
(unary_expression operand: (_) @value) @receive
(parenthesized_expression) @pass
(pointer_type) @pass
(parenthesized_type) @pass
(slice_type element: (_) @type) @array
(array_type length: (_) @value element: (_) @type) @array
(implicit_length_array_type element: (_) @type) @array
(channel_type value: (_) @type) @map_type
(map_type key: (_) @first value: (_) @type) @map_type
(type_instantiation_expression type: (_) @type (_) @type_arguments) @generic
(generic_type type: (_) @type type_arguments: (_) @type_arguments) @generic
(negated_type) @pass
(type_constraint) @pass
(return_statement) @return
(interpreted_string_literal) @string
(raw_string_literal) @string
(int_literal) @literal.number
(float_literal) @literal.number
(rune_literal) @literal.number
(true) @literal.boolean
(false) @literal.boolean
(nil) @literal.nothing
(comment) @skip

; Labels
(label_name) @name.label
(labeled_statement label: (_) @pattern (#set! visible "function")) @bind.label
