(class_declaration declaration_kind: "class" name: (_) @name) @item.class
(class_declaration declaration_kind: "actor" name: (_) @name) @item.class
(class_declaration declaration_kind: "struct" name: (_) @name) @item.struct
(class_declaration declaration_kind: "enum" name: (_) @name) @item.enum
(class_declaration declaration_kind: "extension" @name name: (_) @name) @item.impl
(protocol_declaration name: (_) @name) @item.interface
(enum_entry name: (simple_identifier) @name data_contents: (_)? @detail) @item.enum_member
(function_declaration "func" . name: (_) @name) @item.function
(protocol_function_declaration name: (_) @name) @item.method
(init_declaration "init" @name) @item.constructor
(deinit_declaration "deinit" @name) @item.method
(subscript_declaration "subscript" @name) @item.method
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation (_) @detail)?) @item.property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation (_) @detail)?) @item.property)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation (_) @detail)?) @item.variable)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name) (type_annotation (_) @detail)?) @item.property
(typealias_declaration "typealias" . name: (_) @name) @item.type
(associatedtype_declaration name: (_) @name) @item.type
(macro_declaration (simple_identifier) @name) @item.macro
(operator_declaration "operator" . (_) @name) @item.function
(precedence_group_declaration (simple_identifier) @name) @item.type
