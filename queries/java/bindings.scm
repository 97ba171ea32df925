; Name resolution for Java. Each pattern assigns a node rule to a kind of node and roles to its children;
; server/names/src/vocabulary.rs lists both.

(program) @scope.file
(package_declaration (scoped_identifier) @name (identifier) @name) @package
(import_declaration (scoped_identifier) @path (identifier) @path (asterisk) @all) @import_path

; Definitions
(class_declaration (modifiers) @modifiers name: (_) @name type_parameters: (_) @value
  superclass: (_) @supers interfaces: (_) @supers body: (_) @body (#set! scope "open")) @define.class
(record_declaration (modifiers) @modifiers name: (_) @name type_parameters: (_) @value
  parameters: (_) @fields interfaces: (_) @supers body: (_) @body (#set! scope "open")) @define.class
(interface_declaration (modifiers) @modifiers name: (_) @name type_parameters: (_) @value
  (extends_interfaces) @supers body: (_) @body
  (#set! scope "open") (#set! namespace "value type")) @define.interface
(annotation_type_declaration (modifiers) @modifiers name: (_) @name body: (_) @body
  (#set! scope "open") (#set! namespace "value type")) @define.interface
(enum_declaration (modifiers) @modifiers name: (_) @name interfaces: (_) @supers body: (_) @body
  (#set! scope "open")) @define.enum
(superclass) @list
(super_interfaces) @list
(extends_interfaces) @list
(type_list) @list
(enum_constant name: (_) @name arguments: (_) @value body: (_) @body (#set! scope "open")) @define.enum_member
(method_declaration (modifiers) @modifiers type_parameters: (_) @value type: (_) @returns name: (_) @name
  parameters: (_) @parameters body: (_) @body
  (#set! scope "function") (#set! namespace "function")) @define.method
(annotation_type_element_declaration (modifiers) @modifiers type: (_) @returns name: (_) @name value: (_) @value
  (#set! scope "function") (#set! namespace "function")) @define.method
(constructor_declaration (modifiers) @modifiers type_parameters: (_) @value name: (_) @name
  parameters: (_) @parameters body: (_) @body
  (#set! scope "function") (#set! namespace "label")) @define.constructor
(compact_constructor_declaration (modifiers) @modifiers name: (_) @name body: (_) @body
  (#set! scope "function") (#set! namespace "label")) @define.constructor
(field_declaration (modifiers) @modifiers type: (_) @type declarator: (_) @pattern) @bind.field
(constant_declaration (modifiers) @modifiers type: (_) @type declarator: (_) @pattern) @bind.field
(local_variable_declaration (modifiers) @modifiers type: (_) @type declarator: (_) @pattern
  (#set! visible "here")) @bind.variable
(variable_declarator name: (_) @pattern value: (_) @value) @bind.variable
(type_parameter (type_identifier) @pattern (type_bound) @type) @bind.type_parameter
(modifiers (#set! static "static") (#set! private "private") (#set! exported "public protected")
  (#set! abstract "abstract")) @modifier

; Parameters and bindings
(formal_parameter (modifiers) @modifiers type: (_) @type name: (_) @pattern) @bind.parameter
(spread_parameter (modifiers) @modifiers (variable_declarator) @pattern (_) @type (#set! flags "variadic")) @bind.parameter
(catch_formal_parameter (modifiers) @modifiers (catch_type) @type name: (_) @pattern) @bind.parameter
(catch_type) @union
(catch_clause) @scope.block
(resource (modifiers) @modifiers type: (_) @type name: (_) @pattern value: (_) @value) @bind.variable
(enhanced_for_statement (modifiers) @modifiers type: (_) @type name: (_) @pattern value: (_) @value
  body: (_) @body (#set! scope "block") (#set! derive "element")) @bind.variable
(instanceof_expression left: (_) @value right: (_) @type name: (_) @pattern
  (#set! visible "here")) @bind.variable
(type_pattern (identifier) @pattern (_) @type) @bind.variable
(record_pattern_component (identifier) @pattern (_) @type) @bind.variable
(lambda_expression parameters: (_) @parameters body: (_) @body) @lambda
(inferred_parameters) @pass

; Scopes
(block) @scope.block
(constructor_body) @scope.block
(for_statement) @scope.block
(switch_expression condition: (_) @subject) @group
(switch_label) @case_label
(switch_block) @scope.block
(switch_block_statement_group) @group
(switch_rule) @scope.block
(try_with_resources_statement) @scope.block

; Expressions
(identifier) @name
(type_identifier) @name.as_type
(underscore_pattern) @skip
(this) @this
(super) @super
(scoped_identifier scope: (_) @object name: (_) @member) @member
(scoped_type_identifier) @scoped_type
(field_access object: (_) @object field: (_) @member) @member
(method_invocation object: (_) @object name: (_) @method type_arguments: (_) @value
  arguments: (_) @arguments) @call
(explicit_constructor_invocation object: (_) @value constructor: (_) @skip arguments: (_) @arguments) @call
(argument_list) @list
(object_creation_expression type_arguments: (_) @value type: (_) @type arguments: (_) @arguments
  (class_body) @body) @new
(array_access array: (_) @object index: (_) @value) @index
(array_creation_expression type: (_) @type dimensions: (_) @value value: (_) @value) @array
(array_type element: (_) @type) @array
(generic_type (type_identifier) @type (scoped_type_identifier) @type (type_arguments) @type_arguments) @generic
(type_arguments) @list
(annotated_type) @pass
(wildcard) @pass
(type_bound) @union
(cast_expression type: (_) @type value: (_) @value) @cast
(parenthesized_expression) @group
(ternary_expression condition: (_) @first consequence: (_) @item alternative: (_) @item) @choice
(assignment_expression left: (_) @first right: (_) @value) @opaque
(binary_expression left: (_) @item right: (_) @item) @sum
(unary_expression) @group
(method_reference) @reference_pair
(annotation name: (_) @target arguments: (_) @value) @opaque
(marker_annotation name: (_) @target) @opaque
(element_value_pair key: (_) @skip value: (_) @value) @group
(class_literal (_) @type) @opaque
(return_statement) @return
(labeled_statement (identifier) @skip) @group
(break_statement) @skip
(continue_statement) @skip
(string_literal) @literal.text
(character_literal) @literal.numeral
(decimal_integer_literal) @literal.numeral
(hex_integer_literal) @literal.numeral
(octal_integer_literal) @literal.numeral
(binary_integer_literal) @literal.numeral
(decimal_floating_point_literal) @literal.numeral
(true) @literal.boolean
(false) @literal.boolean
(null_literal) @literal.nothing
(void_type) @opaque
(integral_type) @literal.primitive
(floating_point_type) @literal.primitive
(boolean_type) @literal.boolean
(line_comment) @skip
(block_comment) @skip
