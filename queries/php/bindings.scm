; Name resolution for PHP. Each pattern assigns a node rule to a kind of node and roles to its children;
; server/names/src/vocabulary.rs lists both.

(program (#set! members "declared") (#set! documented "phpdoc") (#set! imports "absolute")) @scope.file
(namespace_definition name: (_) @name body: (_) @same) @package
(namespace_name) @scoped_type

; Imports
(namespace_use_declaration (namespace_name) @path body: (_) @tree (namespace_use_clause) @tree) @import
(namespace_use_group) @pass
(namespace_use_clause alias: (_) @alias (qualified_name) @path (name) @path) @import_path

; Definitions
(class_declaration (abstract_modifier) @modifiers (final_modifier) @modifiers (readonly_modifier) @modifiers
  name: (_) @name (base_clause) @supers (class_interface_clause) @supers body: (_) @body
  (#set! scope "members")) @define.class
(anonymous_class (base_clause) @supers (class_interface_clause) @supers (arguments) @arguments body: (_) @body
  (#set! scope "members")) @define.class
(interface_declaration name: (_) @name (base_clause) @supers body: (_) @body
  (#set! scope "members") (#set! namespace "value type")) @define.interface
(trait_declaration name: (_) @name body: (_) @body
  (#set! scope "members") (#set! namespace "value type")) @define.trait
(enum_declaration name: (_) @name (class_interface_clause) @supers body: (_) @body
  (#set! scope "members")) @define.enum
(enum_case name: (_) @name value: (_) @value) @define.enum_member
(base_clause) @list
(class_interface_clause) @list
(declaration_list) @pass
(enum_declaration_list) @pass
(use_declaration (use_list) @skip) @embed
(function_definition name: (_) @name parameters: (_) @parameters return_type: (_) @returns body: (_) @body
  (#set! scope "function") (#set! namespace "function")) @define.function
(method_declaration (visibility_modifier) @modifiers (static_modifier) @modifiers (abstract_modifier) @modifiers
  (final_modifier) @modifiers name: (_) @name parameters: (_) @parameters return_type: (_) @returns body: (_) @body
  (#set! scope "function") (#set! namespace "function")) @define.method
(property_declaration (visibility_modifier) @modifiers (static_modifier) @modifiers (readonly_modifier) @modifiers
  (var_modifier) @modifiers type: (_) @type (property_element) @pattern) @bind.field
(property_element name: (_) @pattern default_value: (_) @value) @bind.variable
(const_declaration (visibility_modifier) @modifiers (final_modifier) @modifiers type: (_) @type
  (const_element) @pattern) @bind.constant
(const_element (name) @pattern (_) @value) @bind.variable
(visibility_modifier (#set! private "private") (#set! exported "public protected")) @modifier
(static_modifier (#set! flags "static")) @modifier
(abstract_modifier (#set! flags "abstract")) @modifier

; Parameters and bindings
(simple_parameter type: (_) @type name: (_) @pattern default_value: (_) @value) @bind.parameter
(variadic_parameter type: (_) @type name: (_) @pattern (#set! flags "variadic")) @bind.parameter
(property_promotion_parameter visibility: (_) @member_parameter readonly: (_) @member_parameter
  type: (_) @type name: (_) @pattern default_value: (_) @value) @bind.parameter
(assignment_expression left: (_) @pattern right: (_) @value (#set! visible "function")) @bind.variable
(reference_assignment_expression left: (_) @pattern right: (_) @value (#set! visible "function")) @bind.variable
(static_variable_declaration name: (_) @pattern value: (_) @value (#set! visible "function")) @bind.variable
(foreach_statement body: (_) @body (_) @first
  (#set! visible "function") (#set! derive "element")) @bind.variable
(pair) @pass
(list_literal) @tuple
(by_ref) @pass
(catch_clause type: (_) @type name: (_) @pattern body: (_) @body (#set! visible "function")) @bind.variable
(type_list) @union
(anonymous_function parameters: (_) @parameters return_type: (_) @returns body: (_) @body) @lambda
(arrow_function parameters: (_) @parameters return_type: (_) @returns body: (_) @body) @lambda

; Expressions
(name) @name
(variable_name (#set! this "$this")) @pass
(relative_scope (#set! super "parent")) @this
(qualified_name prefix: (namespace_name) @type_object (name) @member) @member
(relative_name prefix: (namespace_name) @type_object (name) @member) @member
(named_type) @pass
(optional_type) @pass
(union_type) @union
(intersection_type) @union
(disjunctive_normal_form_type) @union
(primitive_type) @literal.primitive
(member_access_expression object: (_) @object name: (name) @member) @member
(nullsafe_member_access_expression object: (_) @object name: (name) @member) @member
(member_call_expression object: (_) @object name: (name) @method arguments: (_) @arguments) @call
(nullsafe_member_call_expression object: (_) @object name: (name) @method arguments: (_) @arguments) @call
(scoped_call_expression scope: (_) @object name: (name) @method arguments: (_) @arguments) @call
(scoped_property_access_expression scope: (_) @object name: (variable_name) @member) @member
(class_constant_access_expression) @scoped_type
(function_call_expression function: (name) @method function: (_) @callee arguments: (_) @arguments) @call
(object_creation_expression (name) @type (qualified_name) @type (relative_name) @type (anonymous_class) @value
  (arguments) @arguments) @new
(arguments) @list
(argument name: (_) @name (_) @value) @keyword
(subscript_expression) @index_first
(array_creation_expression) @literal.sequence
(array_element_initializer) @pass
(clone_expression) @group
(parenthesized_expression) @group
(conditional_expression condition: (_) @first body: (_) @item alternative: (_) @item) @choice
(match_expression condition: (_) @first body: (_) @value) @group
(augmented_assignment_expression left: (_) @first right: (_) @value) @opaque
(return_statement) @return
(yield_expression) @yield
(string) @literal.text
(encapsed_string) @literal.text
(heredoc) @literal.text
(nowdoc) @literal.text
(integer) @literal.number
(float) @literal.number
(boolean) @literal.boolean
(null) @literal.nothing
(named_label_statement) @skip
(goto_statement) @skip
(use_list) @skip
(comment) @skip
