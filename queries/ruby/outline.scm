(module name: (_) @name) @item.module
(class name: (_) @name superclass: (superclass (_) @detail)?) @item.class
(singleton_class value: (_) @name) @item.class
(method name: (_) @name parameters: (method_parameters)? @detail) @item.method
(singleton_method object: (_) @name name: (_) @name parameters: (method_parameters)? @detail) @item.method
(alias name: (_) @name) @item.method

(assignment left: (constant) @name) @item.constant
; A class created by a call.
(assignment
  left: (constant) @name
  right: (call receiver: (constant) @_class method: (identifier) @_new) @_made
  (#any-of? @_class "Class" "Struct" "Data")
  (#any-of? @_new "new" "define")) @item.class

; Class-level macros.
(class
  body: (body_statement (call
    method: (identifier) @_call
    arguments: (argument_list (simple_symbol) @name)) @item.property)
  (#any-of? @_call "attr_reader" "attr_writer" "attr_accessor" "attr" "cattr_accessor" "mattr_accessor" "class_attribute"))
(module
  body: (body_statement (call
    method: (identifier) @_call
    arguments: (argument_list (simple_symbol) @name)) @item.property)
  (#any-of? @_call "attr_reader" "attr_writer" "attr_accessor" "attr" "cattr_accessor" "mattr_accessor" "class_attribute"))
((call
  method: (identifier) @_call
  arguments: (argument_list . (simple_symbol) @name)) @item.method
  (#any-of? @_call "define_method" "alias_method" "scope" "delegate"))
((call
  method: (identifier) @_call
  arguments: (argument_list . (simple_symbol) @name)) @item.property
  (#any-of? @_call "has_many" "has_one" "belongs_to" "has_and_belongs_to_many"))

; Specs, tests and tasks.
((call
  !receiver
  method: (identifier) @name @_kind
  arguments: (argument_list . (_) @name)
  block: (_)) @item.function
  (#any-of? @_kind "describe" "context" "feature" "shared_examples" "it" "specify" "scenario" "test" "task" "namespace" "desc"))
((call
  receiver: (constant) @_rspec
  method: (identifier) @name
  arguments: (argument_list . (_) @name)
  block: (_)) @item.function
  (#eq? @_rspec "RSpec"))
