; Name resolution for Kotlin. Each pattern assigns a node rule to a kind of node and roles to its children;
; server/names/src/vocabulary.rs lists both. The grammar has few fields, so tokens tell many children apart.

(source_file (#set! imports "absolute")) @scope.file
(package_header (qualified_identifier) @name) @package
(import (qualified_identifier) @path "as" (identifier) @alias) @import_path
(qualified_identifier) @scoped_type

; Definitions
(class_declaration (modifiers) @modifiers name: (_) @name (type_parameters) @value (primary_constructor) @object
  (delegation_specifiers) @supers (type_constraints) @object (class_body) @body (enum_class_body) @body
  (#set! scope "open") (#set! namespace "value type function")
  (#set! kinds "enum enum interface interface")) @define.class
(object_declaration (modifiers) @modifiers name: (_) @name (delegation_specifiers) @supers (class_body) @body
  (#set! scope "open")) @define.class
; The members of a companion are found in the class, as static ones are.
(companion_object (modifiers) @modifiers name: (_) @name (delegation_specifiers) @supers (class_body) @body
  (#set! flags "static")) @define.class
(object_literal (delegation_specifiers) @supers (class_body) @body (#set! scope "open")) @define.class
(enum_entry (modifiers) @modifiers (identifier) @name (value_arguments) @value (class_body) @body
  (#set! scope "open")) @define.enum_member
(constructor_delegation_call (value_arguments) @arguments) @call
(delegation_specifiers) @list
(delegation_specifier) @pass
(explicit_delegation "by" (_) @value (_) @type) @generic
(constructor_invocation (value_arguments) @arguments (_) @type) @new
(class_body) @pass
(enum_class_body) @pass
(primary_constructor (modifiers) @modifiers) @opaque
(class_parameters) @pass
(class_parameter (modifiers) @modifiers "=" (_) @value ":" (_) @type (identifier) @pattern
  (#set! kinds "val field var field") (#set! flags "signature")) @bind.parameter
(function_declaration (modifiers) @modifiers (type_parameters) @value ":" (_) @returns name: (_) @name
  (function_value_parameters) @parameters (type_constraints) @value (function_body) @body
  (user_type) @receiver (nullable_type) @receiver (parenthesized_type) @receiver
  (#set! scope "function") (#set! namespace "function")) @define.function
(secondary_constructor (modifiers) @modifiers (function_value_parameters) @parameters
  (constructor_delegation_call) @value (block) @body
  (#set! scope "function") (#set! namespace "label")) @define.constructor
(property_declaration (modifiers) @modifiers (type_parameters) @skip (variable_declaration) @pattern
  (multi_variable_declaration) @pattern (type_constraints) @skip "=" (_) @value (property_delegate) @value
  (getter) @value (setter) @object
  (user_type) @receiver (nullable_type) @receiver (parenthesized_type) @receiver
  (#set! visible "after")) @bind.field
(property_delegate (_) @value) @delegate
(getter (modifiers) @modifiers ":" (_) @returns (function_body) @body
  (#set! scope "function") (#set! flags "property")) @define.method
(setter (modifiers) @modifiers (identifier) @parameters ":" (_) @left "=" (_) @object (function_body) @body
  (#set! scope "function")) @define.method
(type_alias (modifiers) @modifiers type: (_) @name (type_parameters) @value "=" (_) @type
  (#set! scope "members") (#set! namespace "value type function")) @define.type
(type_parameter (type_parameter_modifiers) @first (identifier) @pattern ":" (_) @type) @bind.type_parameter
(type_constraint (identifier) @left ":" (_) @bounds) @where
(modifiers (#set! private "private") (#set! file_local "private") (#set! exported "public internal protected")
  (#set! abstract "abstract") (#set! const "const")) @modifier
(parameter_modifiers (#set! variadic "vararg")) @modifier
(type_parameter_modifiers) @opaque
(type_modifiers) @opaque

; Parameters and bindings
(function_value_parameters (parameter_modifiers) @modifiers (parameter) @same "=" (_) @value) @group
(parameter ":" (_) @type (identifier) @pattern) @bind.parameter
(variable_declaration (annotation) @object ":" (_) @type (identifier) @pattern) @bind.variable
(multi_variable_declaration) @tuple
(for_statement (label) @skip (annotation) @object (variable_declaration) @pattern
  (multi_variable_declaration) @pattern "in" (_) @value ")" (_) @body
  (#set! scope "block") (#set! derive "element")) @bind.variable
(catch_block (annotation) @object (identifier) @pattern ":" (_) @type (block) @body
  (#set! scope "block")) @bind.variable
(when_subject (annotation) @object (variable_declaration) @pattern (_) @value (#set! visible "after")) @bind.variable
(lambda_literal (lambda_parameters) @parameters (_) @body (#set! flags "fresh")) @lambda
(anonymous_function (function_value_parameters) @parameters ":" (_) @returns (function_body) @body
  (type_constraints) @value (_) @left) @lambda
(annotated_lambda (label) @skip (annotation) @object) @group

; Scopes
(block (_) @body) @scope.block
(function_body "=" (_) @value (block) @body) @return

; Types
(user_type) @scoped_type
(nullable_type) @pass
(non_nullable_type) @pass
(parenthesized_type) @pass
(type_arguments) @list
(type_projection) @pass
(function_type (type_modifiers) @first (function_type_parameters) @parameter_types "->" (_) @type
  (user_type) @receiver (nullable_type) @receiver (parenthesized_type) @receiver) @function_type
(function_type_parameters) @list
(annotation (use_site_target) @skip (user_type) @target (constructor_invocation) @value) @opaque
(file_annotation (user_type) @target (constructor_invocation) @value) @opaque

; Expressions
(identifier) @name
(navigation_expression "::" (identifier) @referred "." (identifier) @member "?." (identifier) @member
  (_) @object) @member
(callable_reference "::" (identifier) @referred (_) @type_object) @member
(call_expression (type_arguments) @type_arguments (value_arguments) @arguments (annotated_lambda) @arguments
  (_) @callee (#set! lambda "trailing")) @call
(value_arguments) @list
(value_argument (identifier) @name (_) @value) @keyword
(index_expression) @index_first
(infix_expression) @infix
(assignment left: (_) @first right: (_) @value) @opaque
(binary_expression left: (_) @item right: (_) @item) @sum
(in_expression left: (_) @first right: (_) @value) @opaque
(range_expression) @opaque
(unary_expression) @negation
(is_expression left: (_) @value right: (_) @type) @type_test
(as_expression left: (_) @value right: (_) @type) @cast
(parenthesized_expression) @group
(labeled_expression (label) @skip) @group
(annotated_expression (annotation) @object) @group
(spread_expression) @group
(if_expression condition: (_) @first ")" (_) @narrowed "else" (_) @item) @branch
(when_expression (when_subject) @subject (when_entry) @item) @choice
(when_entry "->" (_) @narrowed) @branch
(type_test (_) @type) @type_test
(range_test) @opaque
(this_expression (#set! scope "lambda")) @this
(super_expression) @super
(return_expression label: (_) @skip (_) @value) @return
(throw_expression) @opaque
(string_literal (#set! interpolates "$")) @literal.text
(multiline_string_literal (#set! interpolates "$")) @literal.text
(character_literal) @skip
(number_literal) @literal.number
(float_literal) @literal.number
(label) @skip
(line_comment) @skip
(block_comment) @skip
(shebang) @skip
