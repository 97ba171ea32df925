(class_declaration name: (type_identifier) @name) @item.class
(function_declaration name: (identifier) @name parameters: (_) @detail) @item.function
(generator_function_declaration name: (identifier) @name parameters: (_) @detail) @item.function
(method_definition name: (_) @name parameters: (_) @detail) @item.method
(public_field_definition name: (_) @name type: (type_annotation)? @detail) @item.field

; Functions and classes assigned to a variable.
(variable_declarator
  name: (identifier) @name
  value: [
    (arrow_function parameters: (_)? @detail)
    (function_expression parameters: (_) @detail)
    (generator_function parameters: (_) @detail)
  ]) @item.function
(variable_declarator name: (identifier) @name value: (class)) @item.class
(assignment_expression
  left: [(identifier) (member_expression)] @name
  right: [
    (arrow_function parameters: (_)? @detail)
    (function_expression parameters: (_) @detail)
  ]) @item.function

; Module-level variables.
(program (lexical_declaration "const" (variable_declarator name: (identifier) @name) @item.constant))
(program (lexical_declaration "let" (variable_declarator name: (identifier) @name) @item.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @item.variable))
(program (export_statement declaration: (lexical_declaration "const"
  (variable_declarator name: (identifier) @name) @item.constant)))
(program (export_statement declaration: (lexical_declaration "let"
  (variable_declarator name: (identifier) @name) @item.variable)))
(program (export_statement declaration: (variable_declaration
  (variable_declarator name: (identifier) @name) @item.variable)))

; TypeScript only.
(abstract_class_declaration name: (type_identifier) @name) @item.class
(interface_declaration name: (type_identifier) @name) @item.interface
(type_alias_declaration name: (type_identifier) @name) @item.type
(enum_declaration name: (identifier) @name) @item.enum
(enum_body name: (property_identifier) @name @item.enum_member)
(enum_assignment name: (_) @name) @item.enum_member
(internal_module name: (_) @name) @item.namespace
(module name: (_) @name) @item.module
(function_signature name: (identifier) @name parameters: (_) @detail) @item.function
(method_signature name: (_) @name parameters: (_) @detail) @item.method
(abstract_method_signature name: (_) @name parameters: (_) @detail) @item.method
(interface_body (property_signature name: (_) @name type: (type_annotation)? @detail) @item.property)
