(mod_item name: (identifier) @name) @item.module
(struct_item name: (type_identifier) @name) @item.struct
(union_item name: (type_identifier) @name) @item.struct
(enum_item name: (type_identifier) @name) @item.enum
(enum_variant name: (identifier) @name body: (_)? @detail) @item.enum_member
(field_declaration name: (field_identifier) @name type: (_) @detail) @item.field
(trait_item name: (type_identifier) @name) @item.trait
(impl_item "impl" @name trait: (_)? @name "for"? @name type: (_) @name) @item.impl
(function_item name: (identifier) @name parameters: (parameters) @detail) @item.function
(function_signature_item name: (identifier) @name parameters: (parameters) @detail) @item.function
(type_item name: (type_identifier) @name) @item.type
(associated_type name: (type_identifier) @name) @item.type
(const_item name: (identifier) @name type: (_) @detail) @item.constant
(static_item name: (identifier) @name type: (_) @detail) @item.constant
(macro_definition name: (identifier) @name) @item.macro
