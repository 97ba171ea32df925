((rule (targets (_) @name)) @item.function (#not-match? @name "^[.][A-Z_]+$"))
(rule target: (pattern_list (_) @name)) @item.function
(variable_assignment !target_or_pattern name: (word) @name) @item.variable
(shell_assignment name: (word) @name) @item.variable
(define_directive name: (word) @name) @item.macro
