; Name resolution for TypeScript. Each pattern assigns a node rule to a kind of node and roles to its children;
; server/names/src/vocabulary.rs lists both.

(program (#set! start "code")) @scope.file

; Imports and exports
(import_statement (import_clause) @same (import_require_clause) @same source: (_) @path) @import
(import_clause (identifier) @default_name) @group
(named_imports) @pass
(import_specifier name: (_) @name alias: (_) @alias) @import_item
(namespace_import (identifier) @name (#set! flags "whole")) @import_name
(import_require_clause (identifier) @alias source: (_) @path) @import_name
(export_statement
  decorator: (_) @value declaration: (_) @export value: (_) @default source: (_) @path
  (namespace_export) @same (export_clause) @same (identifier) @default) @export
(namespace_export (identifier) @name (#set! flags "static")) @reexport
(export_clause) @pass
(export_specifier name: (_) @name alias: (_) @alias) @reexport

; Definitions
(class_declaration decorator: (_) @value name: (_) @name type_parameters: (_) @value
  (class_heritage) @supers body: (_) @body (#set! scope "members")) @define.class
(abstract_class_declaration decorator: (_) @value name: (_) @name type_parameters: (_) @value
  (class_heritage) @supers body: (_) @body (#set! scope "members")) @define.class
(class name: (_) @name type_parameters: (_) @value (class_heritage) @supers body: (_) @body
  (#set! scope "members") (#set! flags "own_scope")) @define.class
(class_heritage) @list
(extends_clause value: (_) @object type_arguments: (_) @type_arguments) @generic
(implements_clause) @list
(extends_type_clause) @list
(interface_declaration name: (_) @name type_parameters: (_) @value (extends_type_clause) @supers
  body: (_) @body (#set! scope "members")) @define.interface
(interface_body) @pass
(object_type) @scope.members
(enum_declaration name: (_) @name body: (_) @body (#set! scope "open")) @define.enum
(enum_body name: (_) @pattern (#set! derive "instance") (#set! namespace "value type")) @bind.enum_member
(enum_assignment name: (_) @pattern value: (_) @value (#set! namespace "value type")) @bind.enum_member
(type_alias_declaration name: (_) @name type_parameters: (_) @value value: (_) @type
  (#set! scope "block")) @define.type
(type_parameter name: (_) @pattern constraint: (_) @type value: (_) @first) @bind.type_parameter
(internal_module name: (_) @name body: (_) @body (#set! scope "namespace")) @define.namespace
(module name: (_) @name body: (_) @body (#set! scope "namespace")) @define.namespace
(function_declaration name: (_) @name type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns body: (_) @body (#set! scope "function")) @define.function
(generator_function_declaration name: (_) @name type_parameters: (_) @value
  parameters: (_) @parameters return_type: (_) @returns body: (_) @body
  (#set! scope "function")) @define.function
(function_signature name: (_) @name type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns (#set! scope "function") (#set! flags "declared")) @define.function
(function_expression name: (_) @name type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns body: (_) @body
  (#set! scope "function") (#set! flags "own_scope")) @define.function
(generator_function name: (_) @name type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns body: (_) @body
  (#set! scope "function") (#set! flags "own_scope")) @define.function
(arrow_function parameter: (_) @parameters type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns body: (_) @body) @lambda
(function_type type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns) @function_type
(constructor_type type_parameters: (_) @value parameters: (_) @parameters type: (_) @type) @function_type
(call_signature type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns) @function_type
(construct_signature type_parameters: (_) @value parameters: (_) @parameters
  type: (_) @type) @function_type
(method_definition name: (_) @name type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns body: (_) @body (#set! scope "function")
  (#set! property "get set") (#set! static "static")) @define.method
(method_signature name: (_) @name type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns (#set! scope "function") (#set! flags "declared")
  (#set! property "get set") (#set! static "static")) @define.method
(abstract_method_signature name: (_) @name type_parameters: (_) @value parameters: (_) @parameters
  return_type: (_) @returns (#set! scope "function") (#set! flags "declared")) @define.method
(public_field_definition decorator: (_) @value name: (_) @pattern type: (_) @type
  value: (_) @value (#set! static "static")) @bind.field
(property_signature name: (_) @pattern type: (_) @type) @bind.field
(index_signature name: (_) @pattern index_type: (_) @first type: (_) @type (#set! flags "hidden")) @bind.parameter
(mapped_type_clause name: (_) @pattern type: (_) @type) @bind.type_parameter
(infer_type (type_identifier) @pattern) @bind.type_parameter
(conditional_type) @scope.block
(ambient_declaration) @group

; Parameters
(required_parameter decorator: (_) @value (accessibility_modifier) @member_parameter
  name: (_) @pattern pattern: (_) @pattern type: (_) @type value: (_) @value) @bind.parameter
(optional_parameter decorator: (_) @value (accessibility_modifier) @member_parameter
  name: (_) @pattern pattern: (_) @pattern type: (_) @type value: (_) @value
  (#set! flags "optional")) @bind.parameter
(rest_pattern (#set! flags "variadic")) @rest
(type_predicate name: (_) @value type: (_) @target) @opaque
(asserts) @group

; Bindings
(variable_declaration (#set! visible "function")) @group
(lexical_declaration) @group
(variable_declarator name: (_) @pattern type: (_) @type value: (_) @value
  (#set! visible "declared")) @bind.variable
(for_in_statement kind: (_) @skip right: (_) @value left: (_) @pattern body: (_) @body (#set! scope "block")
  (#set! derive "element")) @bind.variable
(catch_clause parameter: (_) @pattern type: (_) @type body: (_) @body (#set! scope "block")) @bind.variable
(assignment_expression left: (_) @pattern right: (_) @value) @assign
(array_pattern) @tuple
(object_pattern) @pass
(pair_pattern key: (_) @key value: (_) @same) @pair
(shorthand_property_identifier_pattern) @shorthand_name
(object_assignment_pattern left: (_) @same right: (_) @value) @fallback
(assignment_pattern left: (_) @same right: (_) @value) @fallback

; Scopes
; Declarations in `global {…}` are visible in every file.
(statement_block (#set! declared "global")) @scope.block
(for_statement) @scope.block
(switch_body) @scope.block

; Expressions
(identifier) @name
(type_identifier) @name.as_type
(property_identifier) @name
(private_property_identifier) @name
(shorthand_property_identifier) @shorthand_name
(statement_identifier) @name.label
(labeled_statement label: (_) @pattern (#set! visible "function")) @bind.label
(undefined) @literal.nothing
(this) @this
(this_type) @this
(super) @super
(member_expression object: (_) @object property: (_) @member) @member
(nested_identifier object: (_) @object property: (_) @member) @member
(nested_type_identifier module: (_) @object name: (_) @member) @member.type_path
(import) @name
(call_expression function: (_) @callee type_arguments: (_) @value arguments: (_) @arguments
  (#set! exported "require import") (#set! typed "forwardRef memo")) @call
(arguments) @list
(type_arguments) @list
(new_expression constructor: (_) @first type_arguments: (_) @type_arguments
  arguments: (_) @arguments) @new
(subscript_expression object: (_) @object index: (_) @value) @index
(object) @object
(computed_property_name) @opaque
(pair key: (_) @key value: (_) @value) @pair
(array) @literal.sequence
(await_expression) @await
(as_expression) @cast_last
(satisfies_expression) @group
(non_null_expression) @group
(parenthesized_expression) @group
(ternary_expression condition: (_) @first consequence: (_) @item alternative: (_) @item) @choice
(binary_expression left: (_) @item right: (_) @item) @choice
(unary_expression) @negation
(if_statement condition: (_) @condition consequence: (_) @narrowed alternative: (_) @body) @branch
(return_statement) @return
(sequence_expression) @group

; Types
(type_annotation) @pass
(asserts_annotation) @pass
(type_predicate_annotation) @pass
(constraint) @pass
(default_type) @pass
(generic_type name: (_) @type type_arguments: (_) @type_arguments) @generic
(array_type) @array
(readonly_type) @pass
(parenthesized_type) @pass
(optional_type) @pass
(union_type) @union
(intersection_type) @union
(tuple_type) @tuple
(lookup_type) @opaque
(type_query) @query
(index_type_query) @opaque
(literal_type) @opaque
(predefined_type) @literal.primitive

(string) @string
(template_string) @literal.text
(number) @literal.number
(regex) @literal.text
(true) @literal.boolean
(false) @literal.boolean
(null) @literal.nothing
(comment) @skip
(hash_bang_line) @skip
