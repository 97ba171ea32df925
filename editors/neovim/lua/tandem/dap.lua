-- Connects nvim-dap through `tandem dap`, if both exist.
local M = {}

---Registers the adapter `tandem`; false if that is not possible.
---@return boolean
function M.setup()
  local ok, dap = pcall(require, "dap")
  local program = require("tandem.client").program()
  if not ok or not program then
    return false
  end
  -- An older server has no `dap`.
  local asked = vim.system({ program, "dap", "--help" }):wait(3000)
  if asked.code ~= 0 then
    return false
  end
  dap.adapters = dap.adapters or {}
  dap.adapters.tandem = function(done)
    local args = { "dap" }
    local client = require("tandem.client").client()
    if client then
      -- The session belongs to this editor's server.
      vim.list_extend(args, { "--workspace", client.config.root_dir })
    end
    done({ type = "executable", command = program, args = args })
  end
  return true
end

return M
