(object_type_definition (name) @name) @item.class
(object_type_extension "extend" @name (name) @name) @item.class
(interface_type_definition (name) @name) @item.interface
(interface_type_extension "extend" @name (name) @name) @item.interface
(input_object_type_definition (name) @name) @item.struct
(input_object_type_extension "extend" @name (name) @name) @item.struct
(enum_type_definition (name) @name) @item.enum
(enum_type_extension "extend" @name (name) @name) @item.enum
(enum_value_definition (enum_value (name) @name)) @item.enum_member
(union_type_definition (name) @name) @item.type
(union_type_extension "extend" @name (name) @name) @item.type
(scalar_type_definition (name) @name) @item.type
(scalar_type_extension "extend" @name (name) @name) @item.type
(directive_definition (name) @name (arguments_definition)? @detail) @item.macro
(schema_definition "schema" @name) @item.module
(root_operation_type_definition (operation_type) @name (named_type) @detail) @item.field
(field_definition (name) @name (type) @detail) @item.field
(input_fields_definition (input_value_definition (name) @name (type) @detail) @item.field)
(operation_definition
  (operation_type) @name
  (name) @name
  (variable_definitions)? @detail) @item.function
(fragment_definition (fragment_name) @name (type_condition) @detail) @item.function
