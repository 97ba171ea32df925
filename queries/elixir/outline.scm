(call
  target: (identifier) @_define
  (arguments . (alias) @name)
  (do_block)
  (#eq? @_define "defmodule")) @item.module
(call
  target: (identifier) @_define
  (arguments . (alias) @name)
  (do_block)
  (#eq? @_define "defprotocol")) @item.interface
(call
  target: (identifier) @_define
  (arguments . (alias) @name (keywords (pair value: (alias) @name))?)
  (do_block)
  (#eq? @_define "defimpl")) @item.impl

; def f(x), def f(x) when y, def f
(call
  target: (identifier) @_define
  (arguments
    .
    [
      (identifier) @name
      (call target: (identifier) @name (arguments) @detail)
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name (arguments) @detail)]
        operator: "when")
    ])
  (#any-of? @_define "def" "defp" "defdelegate" "defn" "defnp")) @item.function
(call
  target: (identifier) @_define
  (arguments
    .
    [
      (identifier) @name
      (call target: (identifier) @name (arguments) @detail)
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name (arguments) @detail)]
        operator: "when")
    ])
  (#any-of? @_define "defmacro" "defmacrop" "defguard" "defguardp")) @item.macro
(call target: (identifier) @name (#any-of? @name "defstruct" "defexception")) @item.struct
(call
  target: (identifier) @_define
  (arguments . (atom) @name)
  (#any-of? @_define "defrecord" "defrecordp")) @item.struct

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_type
    (arguments
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)]
        operator: "::")))
  (#any-of? @_type "type" "typep" "opaque")) @item.type
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_callback
    (arguments
      (binary_operator
        left: (call target: (identifier) @name (arguments) @detail)
        operator: "::")))
  (#any-of? @_callback "callback" "macrocallback")) @item.method

; Tests.
(call
  target: (identifier) @name @_test
  (arguments . (string (quoted_content) @name))
  (do_block)
  (#any-of? @_test "describe" "test" "property")) @item.function
