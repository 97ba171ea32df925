(function_call
  name: (identifier) @_function
  arguments: (arguments . (string) @link)
  (#any-of? @_function "require" "dofile" "loadfile"))
