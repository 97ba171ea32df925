-- Checks that the server speaks this plugin's protocol; see docs/protocol.md.
local M = {}

local PROTOCOL = 1

---Why a server cannot be used; nil if it can.
---@param result lsp.InitializeResult
---@return string?
function M.problem(result)
  local said = vim.tbl_get(result, "capabilities", "experimental", "tandem") or {}
  if said.protocol == PROTOCOL then
    return nil
  end
  return ("the server %s speaks protocol %s and this plugin %d: update %s"):format(
    vim.tbl_get(result, "serverInfo", "version") or "?",
    said.protocol or "none",
    PROTOCOL,
    (said.protocol or 0) > PROTOCOL and "the plugin" or "the server"
  )
end

return M
