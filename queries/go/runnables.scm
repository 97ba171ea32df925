((function_declaration name: (identifier) @test parameters: (parameter_list . (parameter_declaration type: (pointer_type (qualified_type name: (type_identifier) @_type))) .)) (#match? @test "^Test([^a-z]|$)") (#eq? @_type "T"))
((source_file (package_clause (package_identifier) @_package) (function_declaration name: (identifier) @main)) (#eq? @_package "main") (#eq? @main "main"))
