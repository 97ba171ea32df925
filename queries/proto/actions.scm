(import path: (_) @import.name) @import
