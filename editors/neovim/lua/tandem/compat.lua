-- Where Neovim 0.10 and 0.11 differ.
local M = {}

local is_011 = vim.fn.has("nvim-0.11") == 1

---@param client vim.lsp.Client
---@param name "request"|"notify"|"request_sync"|"cancel_request"|"stop"|"supports_method"
function M.client(client, name, ...)
  if is_011 then
    return client[name](client, ...)
  end
  return client[name](...)
end

---The column of LSP for a byte of a line.
---@param line string
---@param byte integer 0-based
---@param encoding string
---@return integer
function M.character(line, byte, encoding)
  byte = math.max(math.min(byte, #line), 0)
  if encoding == "utf-8" then
    return byte
  end
  if is_011 then
    return vim.str_utfindex(line, encoding, byte, false)
  end
  local utf32, utf16 = vim.str_utfindex(line, byte)
  return encoding == "utf-32" and utf32 or utf16
end

return M
