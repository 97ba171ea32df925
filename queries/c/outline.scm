(function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @detail)
    (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name parameters: (_) @detail))
    (pointer_declarator (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name parameters: (_) @detail)))
  ]) @item.function
(translation_unit (declaration
  declarator: [
    (function_declarator declarator: (identifier) @name parameters: (_) @detail)
    (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name parameters: (_) @detail))
  ]) @item.function)
(translation_unit (declaration
  declarator: [
    (identifier) @name
    (init_declarator declarator: (identifier) @name)
    (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (init_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
  ]) @item.variable)
(struct_specifier name: (type_identifier) @name body: (_)) @item.struct
(union_specifier name: (type_identifier) @name body: (_)) @item.struct
(enum_specifier name: (type_identifier) @name body: (_)) @item.enum
(enumerator name: (identifier) @name) @item.enum_member
(field_declaration
  type: (_) @detail
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (field_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator
      (pointer_declarator declarator: (field_identifier) @name)))
  ]) @item.field
(type_definition declarator: (type_identifier) @name) @item.type
(preproc_function_def name: (identifier) @name parameters: (_) @detail) @item.macro
(preproc_def name: (identifier) @name) @item.constant
