(class_declaration
  (modifiers)? @_modifiers
  "class"
  name: (identifier) @name
  (primary_constructor)? @detail
  (#not-match? @_modifiers "\\benum\\b")) @item.class
(class_declaration "interface" name: (identifier) @name) @item.interface
(class_declaration
  (modifiers (class_modifier "enum"))
  name: (identifier) @name
  (primary_constructor)? @detail) @item.enum
(object_declaration name: (identifier) @name) @item.class
(companion_object "companion" @name "object" @name name: (identifier)? @name) @item.class
(enum_entry (identifier) @name (value_arguments)? @detail) @item.enum_member
(type_alias type: (identifier) @name) @item.type
(secondary_constructor "constructor" @name (function_value_parameters) @detail) @item.constructor
(anonymous_initializer "init" @name) @item.constructor

(function_declaration
  name: (identifier) @name
  (function_value_parameters) @detail) @item.function

; Properties outside of functions.
(source_file
  (property_declaration
    (modifiers)? @_modifiers
    (variable_declaration (identifier) @name (_)? @detail)) @item.variable
  (#not-match? @_modifiers "\\bconst\\b"))
(class_body
  (property_declaration
    (modifiers)? @_modifiers
    (variable_declaration (identifier) @name (_)? @detail)) @item.property
  (#not-match? @_modifiers "\\bconst\\b"))
(enum_class_body
  (property_declaration
    (modifiers)? @_modifiers
    (variable_declaration (identifier) @name (_)? @detail)) @item.property
  (#not-match? @_modifiers "\\bconst\\b"))
(class_parameter
  ["val" "var"]
  (identifier) @name
  (type)? @detail) @item.property
(property_declaration
  (modifiers (property_modifier "const"))
  (variable_declaration (identifier) @name (_)? @detail)) @item.constant
