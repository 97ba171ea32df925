((attribute_item (attribute . (identifier) @_test)) . [(attribute_item) (line_comment) (block_comment)]* . (function_item name: (identifier) @test) (#eq? @_test "test"))
((attribute_item (attribute . (scoped_identifier name: (identifier) @_test))) . [(attribute_item) (line_comment) (block_comment)]* . (function_item name: (identifier) @test) (#eq? @_test "test"))
((source_file (function_item name: (identifier) @main)) (#eq? @main "main"))
