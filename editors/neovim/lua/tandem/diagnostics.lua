-- Reports to the servers what other language servers found in a version of a file, for agents that edit
-- it. Nothing else of them is read or changed.
local compat = require("tandem.compat")

local M = {}

-- The server's limit.
local MOST = 500

local has_started = false
---@type table<table, boolean> Tables of handlers that are wrapped.
local wrapped = {}

---@param client vim.lsp.Client The language server that found them.
---@param uri string
---@param version integer? The version that it names.
---@param items table[]
local function report(client, uri, version, items)
  if client.name == "tandem" or not uri:match("^file:") then
    return
  end
  local bufnr = vim.uri_to_bufnr(uri)
  local current = vim.lsp.util.buf_versions[bufnr]
  if not (version or current) then
    return
  end
  local found = {}
  for index = 1, math.min(#items, MOST) do
    local item = items[index]
    table.insert(found, {
      range = item.range,
      severity = item.severity,
      code = type(item.code) ~= "table" and item.code or nil,
      message = item.message,
    })
  end
  local params = {
    uri = uri,
    source = client.name,
    version = version or current,
    exact = version ~= nil,
    diagnostics = found,
  }
  for _, server in ipairs(vim.lsp.get_clients({ name = "tandem", bufnr = bufnr })) do
    if server.initialized and not server:is_stopped() then
      compat.client(server, "notify", "tandem/didChangeDiagnostics", params)
    end
  end
end

local readers = {
  ["textDocument/publishDiagnostics"] = function(client, result)
    local version = type(result.version) == "number" and result.version or nil
    report(client, result.uri, version, result.diagnostics or {})
  end,
  ["textDocument/diagnostic"] = function(client, result, context)
    local uri = vim.tbl_get(context, "params", "textDocument", "uri")
    -- Of an unchanged report, the editor keeps what it has.
    if uri and result.kind == "full" then
      report(client, uri, context.version, result.items or {})
    end
  end,
}

---Wraps the handlers of a table, which stay as they are.
local function wrap(handlers)
  if not handlers or wrapped[handlers] then
    return
  end
  wrapped[handlers] = true
  for method, read in pairs(readers) do
    local original = rawget(handlers, method)
    if original then
      handlers[method] = function(err, result, context, ...)
        local client = context and vim.lsp.get_client_by_id(context.client_id)
        if client and not err and type(result) == "table" then
          -- A mistake here must not cost the person their diagnostics.
          pcall(read, client, result, context)
        end
        return original(err, result, context, ...)
      end
    end
  end
end

---Starts reporting.
function M.start()
  if has_started or not require("tandem.settings").current().editor_state then
    return
  end
  has_started = true
  wrap(vim.lsp.handlers)
  local function wrap_own(id)
    local client = vim.lsp.get_client_by_id(id)
    wrap(client and client.handlers)
  end
  for _, client in ipairs(vim.lsp.get_clients()) do
    wrap_own(client.id)
  end
  vim.api.nvim_create_autocmd("LspAttach", {
    group = vim.api.nvim_create_augroup("tandem.diagnostics", {}),
    callback = function(event)
      wrap_own(event.data.client_id)
    end,
  })
end

return M
