(function_declaration name: (identifier) @name (parameters) @detail) @item.function
(test_declaration "test" @name . [(string) (identifier)] @name) @item.function
(variable_declaration (identifier) @name (struct_declaration)) @item.struct
(variable_declaration (identifier) @name (union_declaration)) @item.struct
(variable_declaration (identifier) @name (opaque_declaration)) @item.struct
(variable_declaration (identifier) @name (enum_declaration)) @item.enum
(variable_declaration (identifier) @name (error_set_declaration)) @item.enum
(source_file (variable_declaration ["const" "var"] . (identifier) @name type: (_)? @detail) @item.constant)
(struct_declaration (variable_declaration ["const" "var"] . (identifier) @name type: (_)? @detail) @item.constant)
(union_declaration (variable_declaration ["const" "var"] . (identifier) @name type: (_)? @detail) @item.constant)
(enum_declaration (variable_declaration ["const" "var"] . (identifier) @name type: (_)? @detail) @item.constant)
(struct_declaration (container_field name: (identifier) @name type: (_) @detail) @item.field)
(union_declaration (container_field name: (identifier) @name type: (_)? @detail) @item.field)
(enum_declaration (container_field name: (identifier) @name) @item.enum_member)
(source_file (container_field name: (identifier) @name type: (_) @detail) @item.field)
