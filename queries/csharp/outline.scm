(namespace_declaration name: (_) @name) @item.namespace
(file_scoped_namespace_declaration name: (_) @name) @item.namespace
(class_declaration name: (identifier) @name (type_parameter_list)? @detail) @item.class
(struct_declaration name: (identifier) @name (type_parameter_list)? @detail) @item.struct
(record_declaration name: (identifier) @name (parameter_list)? @detail) @item.class
(interface_declaration name: (identifier) @name type_parameters: (_)? @detail) @item.interface
(enum_declaration name: (identifier) @name) @item.enum
(enum_member_declaration name: (identifier) @name value: (_)? @detail) @item.enum_member
(delegate_declaration name: (identifier) @name parameters: (_) @detail) @item.type

(constructor_declaration name: (identifier) @name parameters: (_) @detail) @item.constructor
(destructor_declaration name: (identifier) @name) @item.method
(method_declaration name: (identifier) @name parameters: (_) @detail) @item.method
(local_function_statement name: (identifier) @name parameters: (_) @detail) @item.function
(operator_declaration "operator" @name operator: _ @name parameters: (_) @detail) @item.method
(conversion_operator_declaration
  ["implicit" "explicit"] @name
  "operator" @name
  type: (_) @name
  parameters: (_) @detail) @item.method
(indexer_declaration "this" @name parameters: (_) @detail) @item.property
(property_declaration type: (_) @detail name: (identifier) @name) @item.property
(event_declaration type: (_) @detail name: (identifier) @name) @item.property
(event_field_declaration
  (variable_declaration type: (_) @detail (variable_declarator name: (identifier) @name))) @item.property

(field_declaration
  (modifier)* @_modifiers
  (variable_declaration type: (_) @detail (variable_declarator name: (identifier) @name) @item.field)
  (#not-any-of? @_modifiers "const"))
(field_declaration
  (modifier) @_const
  (variable_declaration
    type: (_) @detail
    (variable_declarator name: (identifier) @name) @item.constant)
  (#eq? @_const "const"))
