(create_table (object_reference) @name) @item.struct
(create_table (column_definitions (column_definition name: (_) @name type: (_) @detail) @item.field))
(create_view (object_reference) @name) @item.class
(create_materialized_view (object_reference) @name) @item.class
(create_function (object_reference) @name . (function_arguments) @detail) @item.function
(create_type (object_reference) @name) @item.type
(create_index column: (_) @name) @item.property
(create_trigger (keyword_trigger) . (object_reference) @name) @item.method
(create_sequence (object_reference) @name) @item.variable
(create_schema (identifier) @name) @item.namespace
(create_database (identifier) @name) @item.namespace
(create_extension (identifier) @name) @item.module
(create_role (identifier) @name) @item.property
(cte . (identifier) @name) @item.variable
