(rule_set (selectors) @name) @item.class
(mixin_statement name: (identifier) @name (parameters)? @detail) @item.function
(function_statement name: (identifier) @name (parameters)? @detail) @item.function
(keyframes_statement (keyframes_name) @name) @item.function
(media_statement "@media" @name (_)+ @name . (block)) @item.namespace
(stylesheet (declaration (property_name) @name) @item.variable)
((declaration (property_name) @name) @item.variable (#match? @name "^--"))
