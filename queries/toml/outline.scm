(table "[" . (_) @name) @item.module
(table_array_element "[[" . (_) @name) @item.module
(pair . (_) @name) @item.property
