; ffi.cdef [[ ... ]]
(function_call
  name: [(identifier) @_function (dot_index_expression field: (identifier) @_function)]
  arguments: (arguments . (string content: (string_content) @injection.content))
  (#eq? @_function "cdef")
  (#set! injection.language "c")
  (#set! injection.include-children))
(function_call
  name: (_) @_function
  arguments: (arguments . (string content: (string_content) @injection.content))
  (#match? @_function "[.:](execute|query|exec)$")
  (#match? @injection.content "^[ \n]*(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|WITH) ")
  (#set! injection.language "sql"))
