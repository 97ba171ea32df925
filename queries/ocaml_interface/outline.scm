(module_definition (module_binding (module_name) @name) @item.module)
(module_type_definition (module_type_name) @name) @item.interface
(type_definition (type_binding name: (_) @name) @item.type)
(constructor_declaration (constructor_name) @name) @item.enum_member
(field_declaration (field_name) @name) @item.field
(exception_definition (constructor_declaration (constructor_name) @name)) @item.class
(external (value_name) @name) @item.function
(value_specification (value_name) @name type: (_)? @detail) @item.variable
((value_specification (value_name) @name type: (function_type) @detail) @item.function)
(class_definition (class_binding (class_name) @name) @item.class)
(class_type_definition (class_type_binding (class_type_name) @name) @item.interface)
(method_definition (method_name) @name) @item.method
(method_specification (method_name) @name) @item.method
(instance_variable_definition (instance_variable_name) @name) @item.field
(value_specification (parenthesized_operator) @name type: (_)? @detail) @item.function
(external (parenthesized_operator) @name) @item.function
(type_binding body: (polymorphic_variant_type (tag_specification (tag) @name) @item.enum_member))
