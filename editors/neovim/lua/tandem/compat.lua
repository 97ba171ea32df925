-- Differences between Neovim 0.10 and 0.11.
local M = {}

local is_011 = vim.fn.has("nvim-0.11") == 1

---@param client vim.lsp.Client
---@param name "request"|"notify"|"cancel_request"|"stop"
function M.client(client, name, ...)
  if is_011 then
    return client[name](client, ...)
  end
  return client[name](...)
end

---Sends pending changes of all buffers. Neovim sends them after a pause. Before a request it sends
---only the changes of the request's own buffer.
---@param client vim.lsp.Client
function M.flush(client)
  local ok, tracking = pcall(require, "vim.lsp._changetracking")
  if ok and tracking.flush then
    tracking.flush(client)
  end
end

---Converts a byte of a line to an LSP column.
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
