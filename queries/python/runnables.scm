; What pytest collects: functions, and methods of `Test...` classes and of unittest test cases.
((module (function_definition name: (identifier) @test)) (#match? @test "^test"))
((module (decorated_definition definition: (function_definition name: (identifier) @test))) (#match? @test "^test"))
((class_definition name: (identifier) @_class body: (block (function_definition name: (identifier) @test))) (#match? @_class "^Test") (#match? @test "^test"))
((class_definition name: (identifier) @_class body: (block (decorated_definition definition: (function_definition name: (identifier) @test)))) (#match? @_class "^Test") (#match? @test "^test"))
((class_definition superclasses: (argument_list (_) @_base) body: (block (function_definition name: (identifier) @test))) (#match? @_base "TestCase$") (#match? @test "^test"))
((class_definition superclasses: (argument_list (_) @_base) body: (block (decorated_definition definition: (function_definition name: (identifier) @test)))) (#match? @_base "TestCase$") (#match? @test "^test"))
((module (if_statement condition: (comparison_operator (identifier) @main (string) @_name))) (#eq? @main "__name__") (#match? @_name "__main__"))
