-- Decides which buffers to attach to, and finds their workspaces.
local settings = require("tandem.settings")

local M = {}

---The workspace of a buffer's file.
---@param bufnr integer
---@return string?
function M.root(bufnr)
  local own = settings.current()
  if own.root_dir then
    return own.root_dir(bufnr)
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  local root = vim.fs.root(name, own.root_markers)
  if root then
    return root
  end
  local folder = vim.uv.cwd()
  local is_wide = not folder or folder == "/" or folder == vim.uv.os_homedir()
  return not is_wide and vim.startswith(name, folder .. "/") and folder or nil
end

---Why a buffer is not attached to; nil if it can be.
---@param bufnr integer
---@return string?
function M.obstacle(bufnr)
  local own = settings.current()
  if not vim.api.nvim_buf_is_valid(bufnr) or not vim.api.nvim_buf_is_loaded(bufnr) then
    return "it is not loaded"
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  if
    vim.bo[bufnr].buftype ~= ""
    or name == ""
    or name:match("^%a[%w+.-]+:")
    or name:find("tandem-git:/", 1, true)
  then
    return "it is not a file"
  end
  if own.filetypes and not vim.list_contains(own.filetypes, vim.bo[bufnr].filetype) then
    return "its filetype is not among the settings' `filetypes`"
  end
  local lines = vim.api.nvim_buf_line_count(bufnr)
  -- A line ending may take two bytes on the wire.
  if vim.api.nvim_buf_get_offset(bufnr, lines) + lines > own.max_bytes then
    return "it is too large (`max_bytes`)"
  end
  return nil
end

---The buffer of a file, by its complete name; `bufnr()` also matches prefixes.
---@param path string Absolute.
---@return integer? bufnr Nil if it is not loaded.
function M.of_file(path)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_name(bufnr) == path then
      return bufnr
    end
  end
end

return M
