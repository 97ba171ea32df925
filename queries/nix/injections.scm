; A comment before a string names its language: /* bash */ ''…''.
((comment) @injection.language .
  (indented_string_expression (string_fragment) @injection.content))
((comment) @injection.language .
  (string_expression (string_fragment) @injection.content))

; Phases and scripts of builds.
((binding
  attrpath: (attrpath (identifier) @_name .)
  expression: (indented_string_expression (string_fragment) @injection.content))
  (#match? @_name "(Phase|Hook|[sS]cript|Command|Commands)$")
  (#set! injection.language "bash"))
((binding
  attrpath: (attrpath (identifier) @_name .)
  expression: (string_expression (string_fragment) @injection.content))
  (#match? @_name "(Phase|Hook|[sS]cript|Command|Commands)$")
  (#set! injection.language "bash"))
(apply_expression
  function: (apply_expression function: (_) @_write argument: (string_expression))
  argument: (indented_string_expression (string_fragment) @injection.content)
  (#match? @_write "(writeShellScript|writeShellScriptBin|writeScript|writeScriptBin)$")
  (#set! injection.language "bash"))
(apply_expression
  function: (apply_expression
    function: (apply_expression function: (_) @_run argument: (_))
    argument: (_))
  argument: (indented_string_expression (string_fragment) @injection.content)
  (#match? @_run "runCommand(Local|CC|NoCC)?$")
  (#set! injection.language "bash"))
