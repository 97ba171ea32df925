(header module: (module) @name) @item.module
(data_type name: (name) @name) @item.struct
(newtype name: (name) @name) @item.struct
(type_synonym name: (name) @name) @item.type
(type_family name: (name) @name) @item.type
(data_family name: (name) @name) @item.type
(class name: (name) @name) @item.class
(instance name: (_) @name patterns: (_)? @name) @item.impl
(data_constructor constructor: (prefix name: (constructor) @name)) @item.enum_member
(data_constructor constructor: (record name: (constructor) @name)) @item.enum_member
(data_constructor constructor: (infix operator: (_) @name)) @item.enum_member
(newtype_constructor name: (constructor) @name) @item.enum_member
(gadt_constructor name: (constructor) @name type: (_) @detail) @item.enum_member
(field name: (field_name) @name type: (_)? @detail) @item.field

; Functions with a signature, and those without by their first clause.
(declarations
  (signature name: [(variable) (prefix_id)] @name type: (_) @detail) @item.function)
(declarations
  (signature names: (binding_list name: (_) @name) type: (_) @detail) @item.function)
(class_declarations
  (signature names: (binding_list name: (_) @name) type: (_) @detail) @item.function)
(class_declarations
  (signature name: [(variable) (prefix_id)] @name type: (_) @detail) @item.function)
(declarations
  . [(comment) (haddock) (pragma)]* .
  [(function name: (variable) @name) (bind name: (variable) @name)] @item.function)
(declarations
  [
    (data_type) (newtype) (type_synonym) (type_family) (class) (instance) (fixity) (import)
    (deriving_instance) (top_splice) (data_instance) (type_instance)
  ]
  . [(comment) (haddock) (pragma)]* .
  [(function name: (variable) @name) (bind name: (variable) @name)] @item.function)
(declarations
  [
    (signature name: (_) @_before) (function name: (_) @_before) (bind name: (_) @_before)
  ]
  . [(comment) (haddock) (pragma)]* .
  [(function name: (variable) @name) (bind name: (variable) @name)] @item.function
  (#not-eq? @_before @name))
(foreign_import signature: (signature name: (variable) @name type: (_) @detail)) @item.function
