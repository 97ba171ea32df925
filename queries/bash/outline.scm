(function_definition name: (word) @name) @item.function

(command
  name: (command_name (word) @name @_alias)
  argument: [(word) @name (concatenation . (word) @name)]
  (#eq? @_alias "alias")) @item.function

; Variables set or exported outside of functions.
(program (variable_assignment name: (variable_name) @name) @item.variable)
(program (variable_assignments (variable_assignment name: (variable_name) @name) @item.variable))
(program (declaration_command (variable_assignment name: (variable_name) @name) @item.variable))
(program
  (declaration_command "readonly" (variable_assignment name: (variable_name) @name) @item.constant))
