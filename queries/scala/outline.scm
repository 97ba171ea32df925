(package_clause name: (_) @name) @item.namespace
(package_object name: (_) @name) @item.namespace
(class_definition name: (_) @name class_parameters: (_)? @detail) @item.class
(object_definition name: (_) @name) @item.module
(trait_definition name: (_) @name) @item.trait
(enum_definition name: (_) @name) @item.enum
(simple_enum_case name: (_) @name) @item.enum_member
(full_enum_case name: (_) @name class_parameters: (_)? @detail) @item.enum_member
(type_definition name: (_) @name) @item.type
(given_definition name: (_) @name) @item.variable
(extension_definition "extension" @name parameters: (_) @name) @item.impl
(function_definition name: (_) @name . (parameters)? @detail) @item.function
(function_declaration name: (_) @name . (parameters)? @detail) @item.function
; Values of the file and of classes, not local ones.
(compilation_unit (val_definition pattern: (identifier) @name type: (_)? @detail) @item.constant)
(compilation_unit (var_definition pattern: (identifier) @name type: (_)? @detail) @item.variable)
(template_body (val_definition pattern: (identifier) @name type: (_)? @detail) @item.property)
(template_body (var_definition pattern: (identifier) @name type: (_)? @detail) @item.property)
(template_body (val_declaration name: (identifier) @name type: (_) @detail) @item.property)
(template_body (var_declaration name: (identifier) @name type: (_) @detail) @item.property)
(enum_body (val_definition pattern: (identifier) @name type: (_)? @detail) @item.property)
