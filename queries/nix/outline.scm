((binding attrpath: (attrpath) @name expression: (function_expression)) @item.function)
(binding attrpath: (attrpath) @name) @item.property
