(import_statement name: (dotted_name) @link)
(import_statement name: (aliased_import name: (dotted_name) @link))
(import_from_statement module_name: (dotted_name) @link)
(import_from_statement module_name: (relative_import (dotted_name)) @link)
