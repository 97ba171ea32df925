(function_declaration name: (identifier) @name parameters: (parameter_list) @detail) @item.function
(method_declaration
  receiver: (parameter_list) @name
  name: (field_identifier) @name
  parameters: (parameter_list) @detail) @item.method
(type_spec name: (type_identifier) @name type: (struct_type)) @item.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @item.interface
(type_spec
  name: (type_identifier) @name
  type: [(type_identifier) (qualified_type) (pointer_type) (array_type) (slice_type) (map_type)
         (channel_type) (function_type) (generic_type) (parenthesized_type)] @detail) @item.type
(type_alias name: (type_identifier) @name type: (_) @detail) @item.type
(field_declaration name: (field_identifier) @name type: (_) @detail) @item.field
(method_elem name: (field_identifier) @name parameters: (parameter_list) @detail) @item.method
(source_file (const_declaration (const_spec name: (identifier) @name) @item.constant))
(source_file (var_declaration (var_spec name: (identifier) @name type: (_)? @detail) @item.variable))
(source_file (var_declaration
  (var_spec_list (var_spec name: (identifier) @name type: (_)? @detail) @item.variable)))
