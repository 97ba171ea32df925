-- Tandem in Neovim: one language server for you and the AI plugin beside you.
-- No setup is needed: it attaches to files if this folder is on the runtimepath.
local M = {}

---Changes settings, like `vim.g.tandem`.
---@param settings? tandem.Settings
function M.setup(settings)
  require("tandem.settings").set(settings)
end

---Every tool as a typed function, see `:help tandem-tools`.
---@type tandem.Tools
M.tools = setmetatable({}, {
  __index = function(_, name)
    return require("tandem.generated.tools")[name]
  end,
})

---Calls a tool by its name.
---@param tool string
---@param params? table
---@param opts? tandem.CallOptions
---@return table? result
---@return tandem.ToolError? error
function M.call(tool, params, opts)
  return require("tandem.call").call(tool, params, opts)
end

---The state in a few characters, for a statusline; empty if no server is attached.
---@return string
function M.statusline()
  local status = package.loaded["tandem.status"]
  return status and status.line() or ""
end

return M
