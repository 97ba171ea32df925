(namespace_definition name: (_) @name) @item.namespace
(class_specifier name: (_) @name body: (_)) @item.class
(struct_specifier name: (_) @name body: (_)) @item.struct
(union_specifier name: (_) @name body: (_)) @item.struct
(enum_specifier name: (_) @name body: (_)) @item.enum
(enumerator name: (identifier) @name) @item.enum_member
(concept_definition name: (identifier) @name) @item.interface
(alias_declaration name: (type_identifier) @name type: (_) @detail) @item.type
(type_definition declarator: (type_identifier) @name) @item.type
(function_definition
  declarator: [
    (function_declarator declarator: (_) @name parameters: (_) @detail)
    (pointer_declarator
      declarator: (function_declarator declarator: (_) @name parameters: (_) @detail))
    (reference_declarator
      (function_declarator declarator: (_) @name parameters: (_) @detail))
  ]) @item.function
; Prototypes at the top level, in namespaces and in classes.
(translation_unit (declaration
  declarator: (function_declarator declarator: (identifier) @name parameters: (_) @detail)) @item.function)
(declaration_list (declaration
  declarator: (function_declarator declarator: (identifier) @name parameters: (_) @detail)) @item.function)
(field_declaration
  declarator: [
    (function_declarator declarator: (field_identifier) @name parameters: (_) @detail)
    (pointer_declarator
      declarator: (function_declarator declarator: (field_identifier) @name parameters: (_) @detail))
    (reference_declarator
      (function_declarator declarator: (field_identifier) @name parameters: (_) @detail))
  ]) @item.method
(field_declaration_list (declaration
  declarator: (function_declarator declarator: (_) @name parameters: (_) @detail)) @item.method)
(field_declaration
  type: (_) @detail
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (field_identifier) @name)
    (reference_declarator (field_identifier) @name)
  ]) @item.field
(translation_unit (declaration
  declarator: [
    (identifier) @name
    (init_declarator declarator: (identifier) @name)
    (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (init_declarator declarator: (array_declarator declarator: (identifier) @name))
  ]) @item.variable)
(preproc_function_def name: (identifier) @name parameters: (_) @detail) @item.macro
(preproc_def name: (identifier) @name) @item.constant
