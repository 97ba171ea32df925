(class_declaration name: (identifier) @name) @item.class
(record_declaration name: (identifier) @name parameters: (_) @detail) @item.class
(interface_declaration name: (identifier) @name) @item.interface
(annotation_type_declaration name: (identifier) @name) @item.interface
(enum_declaration name: (identifier) @name) @item.enum
(enum_constant name: (identifier) @name) @item.enum_member
(method_declaration name: (identifier) @name parameters: (_) @detail) @item.method
(annotation_type_element_declaration type: (_) @detail name: (identifier) @name) @item.method
(constructor_declaration name: (identifier) @name parameters: (_) @detail) @item.constructor
(compact_constructor_declaration name: (identifier) @name) @item.constructor
(field_declaration type: (_) @detail declarator: (variable_declarator name: (identifier) @name)) @item.field
(constant_declaration
  type: (_) @detail declarator: (variable_declarator name: (identifier) @name)) @item.constant
(module_declaration name: (_) @name) @item.module
