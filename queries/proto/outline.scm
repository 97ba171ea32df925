(package (full_ident) @name) @item.namespace
(message (message_name) @name) @item.struct
(group (message_name) @name) @item.struct
(enum (enum_name) @name) @item.enum
(enum_field . (identifier) @name) @item.enum_member
(field (type) @detail (identifier) @name) @item.field
(map_field (identifier) @name) @item.field
(oneof (identifier) @name) @item.struct
(oneof_field (type) @detail (identifier) @name) @item.field
(service (service_name) @name) @item.interface
(rpc (rpc_name) @name . (message_or_enum_type) @detail) @item.method
(rpc (rpc_name) @name) @item.method
(extend (full_ident) @name) @item.impl
