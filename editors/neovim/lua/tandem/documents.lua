-- Previous versions of files: `tandem-git:/REVISION/PATH`, read-only.
local compat = require("tandem.compat")

local M = {}

local function request(uri, done)
  local clients = require("tandem.client")
  -- An absolute path follows two slashes.
  local path = uri:match("^tandem%-git:/[^/]+//(.*)")
  local client = path and clients.client_of("/" .. vim.uri_decode(path)) or clients.client()
  if not client then
    return done(nil, "no server is attached")
  end
  compat.client(client, "request", "tandem/textDocumentContent", { uri = uri }, function(error, got)
    done(got and got.text, error and error.message or "there is no answer")
  end)
end

-- Escapes a part of a path for a URI.
local function quoted(text)
  return (text:gsub("[^%w%-._~:]", function(char)
    return ("%%%02X"):format(char:byte())
  end))
end

---The URI of a previous version; the path is absolute.
---@param path string
---@param revision string
---@return string
function M.uri(path, revision)
  return "tandem-git:/"
    .. quoted(revision)
    .. "//"
    .. vim.uri_from_fname(path):gsub("^file:///", "")
end

---The text of a previous version.
---@param path string
---@param revision string
---@param done fun(text: string?, error: string?)
function M.text(path, revision, done)
  request(M.uri(path, revision), done)
end

---Fills a buffer with the version that its name, such a URI, refers to.
---@param bufnr integer
---@param uri string
function M.read(bufnr, uri)
  vim.bo[bufnr].buftype = "nofile"
  vim.bo[bufnr].swapfile = false
  request(uri, function(text, error)
    if not vim.api.nvim_buf_is_valid(bufnr) then
      return
    end
    if not text then
      return require("tandem.client").say(("%s: %s"):format(uri, error), vim.log.levels.ERROR)
    end
    local lines = vim.split(text:gsub("\r\n", "\n"), "\n", { plain = true })
    if lines[#lines] == "" then
      table.remove(lines)
    end
    vim.bo[bufnr].modifiable = true
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
    vim.bo[bufnr].modifiable = false
    vim.bo[bufnr].modified = false
    local filetype = vim.filetype.match({ filename = uri:match("[^/]*$"), buf = bufnr })
    vim.bo[bufnr].filetype = filetype or ""
  end)
end

return M
