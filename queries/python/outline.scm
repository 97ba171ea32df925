(class_definition name: (identifier) @name superclasses: (argument_list)? @detail) @item.class

(function_definition name: (identifier) @name parameters: (parameters) @detail) @item.function

; Module constants and class attributes.
(module (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.variable))
(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name type: (type)? @detail) @item.field)))
(type_alias_statement left: (type (identifier) @name)) @item.type
