; inherits: jsx
; Name resolution for JavaScript. Each pattern assigns a node rule to a kind of node and roles to its children;
; server/names/src/vocabulary.rs lists both.

(program (#set! namespaces "one") (#set! documented "jsdoc")
  (#set! start "code")) @scope.file

; Imports and exports
(import_statement (import_clause) @same source: (_) @path) @import
(import_clause (identifier) @default_name) @group
(named_imports) @pass
(import_specifier name: (_) @name alias: (_) @alias) @import_item
(namespace_import (identifier) @name (#set! flags "whole")) @import_name
(export_statement
  decorator: (_) @value declaration: (_) @export value: (_) @default source: (_) @path
  (namespace_export) @same (export_clause) @same (identifier) @default) @export
(namespace_export (identifier) @name (#set! flags "static")) @reexport
(export_clause) @pass
(export_specifier name: (_) @name alias: (_) @alias) @reexport

; Definitions
(class_declaration decorator: (_) @value name: (_) @name (class_heritage) @supers body: (_) @body
  (#set! scope "members")) @define.class
(class decorator: (_) @value name: (_) @name (class_heritage) @supers body: (_) @body
  (#set! scope "members") (#set! flags "own_scope")) @define.class
(class_heritage) @list
(function_declaration name: (_) @name parameters: (_) @parameters body: (_) @body
  (#set! scope "function")) @define.function
(generator_function_declaration name: (_) @name parameters: (_) @parameters body: (_) @body
  (#set! scope "function")) @define.function
(function_expression name: (_) @name parameters: (_) @parameters body: (_) @body
  (#set! scope "function") (#set! flags "own_scope")) @define.function
(generator_function name: (_) @name parameters: (_) @parameters body: (_) @body
  (#set! scope "function") (#set! flags "own_scope")) @define.function
(arrow_function parameter: (_) @parameters parameters: (_) @parameters body: (_) @body) @lambda
(method_definition name: (_) @name parameters: (_) @parameters body: (_) @body
  (#set! scope "function") (#set! property "get set") (#set! static "static")) @define.method
(field_definition decorator: (_) @value property: (_) @pattern value: (_) @value
  (#set! static "static")) @bind.field

; Bindings
(variable_declaration (#set! visible "function")) @group
(lexical_declaration) @group
(variable_declarator name: (_) @pattern value: (_) @value (#set! visible "declared")) @bind.variable
(for_in_statement kind: (_) @skip right: (_) @value left: (_) @pattern body: (_) @body (#set! scope "block")
  (#set! derive "element")) @bind.variable
(catch_clause parameter: (_) @pattern body: (_) @body (#set! scope "block")) @bind.variable
(assignment_expression left: (_) @pattern right: (_) @value) @assign
(array_pattern) @tuple
(object_pattern) @pass
(pair_pattern key: (_) @key value: (_) @same) @pair
(shorthand_property_identifier_pattern) @shorthand_name
(object_assignment_pattern left: (_) @same right: (_) @value) @fallback
(assignment_pattern left: (_) @same right: (_) @value) @fallback

; Scopes
(statement_block) @scope.block
(for_statement) @scope.block
(switch_body) @scope.block

; Expressions
(identifier) @name
(property_identifier) @name
(private_property_identifier) @name
(shorthand_property_identifier) @shorthand_name
(statement_identifier) @name.label
(labeled_statement label: (_) @pattern (#set! visible "function")) @bind.label
(undefined) @literal.nothing
(this) @this
(super) @super
(member_expression object: (_) @object property: (_) @member) @member
(import) @name
(call_expression function: (_) @callee arguments: (_) @arguments (#set! exported "require import")) @call
(arguments) @list
(new_expression constructor: (_) @first arguments: (_) @arguments) @new
(subscript_expression object: (_) @object index: (_) @value) @index
(object) @object
(computed_property_name) @opaque
(pair key: (_) @key value: (_) @value) @pair
(array) @literal.sequence
(await_expression) @await
(parenthesized_expression) @group
(ternary_expression condition: (_) @first consequence: (_) @item alternative: (_) @item) @choice
(binary_expression left: (_) @item right: (_) @item) @choice
(unary_expression) @negation
(if_statement condition: (_) @condition consequence: (_) @narrowed alternative: (_) @body) @branch
(return_statement) @return
(sequence_expression) @group

(string) @string
(template_string) @literal.text
(number) @literal.number
(regex) @literal.text
(true) @literal.boolean
(false) @literal.boolean
(null) @literal.nothing
(comment) @skip
(hash_bang_line) @skip
