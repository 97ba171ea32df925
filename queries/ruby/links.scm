(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list . (string) @link)
  (#any-of? @_require "require" "require_relative" "load"))
(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list (_) . (string) @link)
  (#eq? @_require "autoload"))
