; Name resolution for Rust. Each pattern assigns a node rule to a kind of node and roles to its children;
; server/names/src/vocabulary.rs lists both.

(source_file) @scope.file
(mod_item (visibility_modifier) @modifiers name: (_) @name body: (_) @body (#set! scope "module")
  (#set! namespace "type")) @define.module
(visibility_modifier (#set! exported "pub") (#set! private "crate super in self")
  (#set! restricted "super in self")) @modifier

; Imports
(use_declaration (visibility_modifier) @modifiers argument: (_) @tree) @import
(use_list) @pass
(scoped_use_list path: (_) @path list: (_) @tree) @import
(use_as_clause path: (_) @path alias: (_) @alias) @import_item
(use_wildcard) @import_all
(extern_crate_declaration (visibility_modifier) @modifiers name: (_) @tree) @import

; Definitions
(function_item (visibility_modifier) @modifiers name: (_) @name type_parameters: (_) @value
  parameters: (_) @parameters return_type: (_) @returns body: (_) @body
  (#set! scope "function")) @define.function
(function_signature_item (visibility_modifier) @modifiers name: (_) @name type_parameters: (_) @value
  parameters: (_) @parameters return_type: (_) @returns
  (#set! scope "function") (#set! flags "declared")) @define.function
(struct_item (visibility_modifier) @modifiers name: (_) @name type_parameters: (_) @value body: (_) @body
  (#set! scope "members")) @define.struct
(union_item (visibility_modifier) @modifiers name: (_) @name type_parameters: (_) @value body: (_) @body
  (#set! scope "members")) @define.struct
(enum_item (visibility_modifier) @modifiers name: (_) @name type_parameters: (_) @value body: (_) @body
  (#set! scope "members")) @define.enum
(enum_variant name: (_) @name body: (_) @body value: (_) @value (#set! scope "members")
  (#set! namespace "value type")) @define.enum_member
(trait_item (visibility_modifier) @modifiers name: (_) @name type_parameters: (_) @value
  bounds: (_) @supers body: (_) @body (#set! scope "members")) @define.trait
(trait_bounds) @union
(impl_item type_parameters: (_) @value trait: (_) @trait type: (_) @target body: (_) @body) @extend
(type_item (visibility_modifier) @modifiers name: (_) @name type_parameters: (_) @value type: (_) @type
  (#set! scope "block")) @define.type
(associated_type name: (_) @name type_parameters: (_) @value bounds: (_) @supers) @define.type
(const_item (visibility_modifier) @modifiers name: (_) @name type: (_) @type value: (_) @value) @define.constant
(static_item (visibility_modifier) @modifiers name: (_) @name type: (_) @type value: (_) @value) @define.constant
(field_declaration (visibility_modifier) @modifiers name: (_) @pattern type: (_) @type) @bind.field
(ordered_field_declaration_list type: (_) @positional) @group
(macro_definition name: (_) @name (macro_rule) @skip) @define.macro
(type_parameter name: (_) @pattern bounds: (_) @type default_type: (_) @first) @bind.type_parameter
(const_parameter name: (_) @pattern type: (_) @type) @bind.constant
(lifetime) @skip
(where_predicate left: (_) @left bounds: (_) @bounds) @where

; Parameters and bindings
(parameter pattern: (_) @pattern type: (_) @type) @bind.parameter
(closure_expression parameters: (_) @parameters return_type: (_) @returns body: (_) @body) @lambda
(function_type trait: (_) @value parameters: (_) @parameter_types return_type: (_) @returns) @function_type
(self_parameter) @group
(let_declaration pattern: (_) @pattern type: (_) @type value: (_) @value alternative: (_) @body
  (#set! visible "after") (#set! flags "fresh")) @bind.variable
(let_condition pattern: (_) @pattern value: (_) @value
  (#set! visible "after") (#set! flags "fresh")) @bind.variable
(for_expression pattern: (_) @pattern value: (_) @value body: (_) @body (#set! scope "block")
  (#set! derive "element")) @bind.variable
(match_expression value: (_) @subject body: (_) @same) @match
(match_arm pattern: (_) @pattern value: (_) @value (#set! scope "block")) @arm
(match_pattern condition: (_) @value) @group
(tuple_pattern) @tuple
(slice_pattern) @parts
(tuple_struct_pattern type: (_) @variant) @variant
(struct_pattern type: (_) @variant) @variant
(field_pattern name: (field_identifier) @key name: (shorthand_field_identifier) @same pattern: (_) @same) @pair
(shorthand_field_identifier) @shorthand_name
(captured_pattern) @group
(ref_pattern) @pass
(reference_pattern) @pass
(mut_pattern) @pass
(or_pattern) @group
(remaining_field_pattern) @skip
(generic_pattern type_arguments: (_) @value) @group

; Scopes
(block) @block
(if_expression condition: (_) @first consequence: (_) @item alternative: (_) @item (#set! scope "block")) @choice
(else_clause) @pass
(while_expression) @scope.block
(unsafe_block) @pass

; Expressions
(identifier (#set! flags "capital")) @name
(type_identifier) @name.as_type
(field_identifier) @name
(self) @this
(super) @path.parent
(crate) @path.root
(scoped_identifier path: (_) @type_object name: (_) @member) @member
(scoped_type_identifier path: (_) @type_object name: (_) @member) @member
(bracketed_type) @pass
(qualified_type type: (_) @first alias: (_) @type) @group
(field_expression value: (_) @object field: (field_identifier) @member field: (integer_literal) @position) @member
(call_expression function: (_) @callee arguments: (_) @arguments) @call
(generic_function function: (_) @callee type_arguments: (_) @type_arguments) @generic
(arguments) @list
(type_arguments) @list
(type_parameters) @group
(macro_invocation macro: (_) @macro (token_tree) @same) @macro_call
(token_tree) @tokens
(struct_expression name: (_) @target body: (_) @body) @construct
(field_initializer field: (_) @key value: (_) @value) @pair
(shorthand_field_initializer (identifier) @key) @shorthand
(index_expression) @index_first
(reference_expression value: (_) @value) @group
(unary_expression) @group
(try_expression) @try
(await_expression) @await
(parenthesized_expression) @group
(tuple_expression) @tuple
(array_expression) @literal.sequence
(type_cast_expression value: (_) @value type: (_) @type) @cast
(binary_expression left: (_) @first right: (_) @value) @opaque
(assignment_expression) @opaque
(return_expression) @return
(match_block) @pass
(expression_statement) @opaque

; Types
(generic_type type: (_) @type type_arguments: (_) @type_arguments) @generic
(generic_type_with_turbofish type: (_) @type type_arguments: (_) @type_arguments) @generic
(reference_type type: (_) @type) @pointer
(pointer_type type: (_) @type) @pointer
(array_type element: (_) @type length: (_) @value) @array
(tuple_type) @tuple
(dynamic_type trait: (_) @type) @pointer
(abstract_type trait: (_) @type) @pointer
(bounded_type) @union
(type_binding name: (_) @name type: (_) @type type_arguments: (_) @type_arguments) @binding
(primitive_type) @name.as_type

(string_literal) @literal.text
(raw_string_literal) @literal.text
(char_literal) @literal.number
(integer_literal) @literal.number
(float_literal) @literal.number
(boolean_literal) @literal.boolean
(unit_expression) @literal.nothing
(line_comment) @skip
(block_comment) @skip
(attribute_item) @attribute
(inner_attribute_item) @skip
