(class_declaration name: (identifier) @name) @item.class
(function_declaration name: (identifier) @name parameters: (_) @detail) @item.function
(generator_function_declaration name: (identifier) @name parameters: (_) @detail) @item.function
(method_definition name: (_) @name parameters: (_) @detail) @item.method
(field_definition property: (_) @name) @item.field

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
