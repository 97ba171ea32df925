(namespace_definition name: (_) @name) @item.namespace
(class_declaration name: (name) @name (base_clause (_) @detail)?) @item.class
(interface_declaration name: (name) @name) @item.interface
(trait_declaration name: (name) @name) @item.trait
(enum_declaration name: (name) @name) @item.enum
(enum_case name: (name) @name value: (_)? @detail) @item.enum_member
((method_declaration name: (name) @name parameters: (_) @detail) @item.constructor
  (#eq? @name "__construct"))
(method_declaration name: (name) @name parameters: (_) @detail) @item.method
(function_definition name: (name) @name parameters: (_) @detail) @item.function
(property_declaration type: (_)? @detail (property_element name: (variable_name) @name)) @item.property
(property_promotion_parameter type: (_)? @detail name: (variable_name) @name) @item.property
(const_declaration (const_element . (name) @name)) @item.constant
; define("NAME", ...)
((expression_statement
  (function_call_expression
    function: (name) @_define
    arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)])))) @item.constant
  (#eq? @_define "define"))
; Top-level variables.
(program (expression_statement (assignment_expression left: (variable_name) @name)) @item.variable)
