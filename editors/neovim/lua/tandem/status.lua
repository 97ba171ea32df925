-- The state that each server reports.
local M = {}

---@class tandem.ServerStatus
---@field health "ok"|"warning"|"error"
---@field quiescent boolean Whether the workspace is indexed.
---@field message? string
---@field files integer
---@field agents integer Running tool calls.
---@field lastError? string

---@type table<integer, tandem.ServerStatus> By client.
M.of = {}

local function changed()
  vim.api.nvim_exec_autocmds("User", { pattern = "TandemStatus", modeline = false })
  vim.cmd.redrawstatus({ bang = true })
end

---@param status tandem.ServerStatus
---@param id integer
function M.told(status, id)
  local before = M.of[id]
  M.of[id] = status
  if status.health == "error" and (not before or before.message ~= status.message) then
    require("tandem.client").say(status.message or "there is an error", vim.log.levels.ERROR)
  end
  changed()
end

---@param id integer
function M.ended(id)
  M.of[id] = nil
  changed()
end

---For a statusline: `tandem`, what it does, and whether it waits for the person.
---@return string
function M.line()
  local client = vim.lsp.get_clients({ name = "tandem", bufnr = 0 })[1]
  local status = client and M.of[client.id]
  if not status then
    return ""
  end
  local parts = { "tandem" }
  if status.health ~= "ok" then
    table.insert(parts, status.health)
  end
  if not status.quiescent then
    table.insert(parts, ("indexing %d files"):format(status.files))
  end
  if status.agents > 0 then
    table.insert(parts, ("%d running"):format(status.agents))
  end
  local review, questions = package.loaded["tandem.review"], package.loaded["tandem.questions"]
  local debug = package.loaded["tandem.debug"]
  local stop = debug and debug.last()
  if stop then
    table.insert(parts, ("stopped:%s"):format(stop.line or "?"))
  end
  if review and review.current() then
    table.insert(parts, "review")
  end
  if questions and questions.is_open() then
    table.insert(parts, "question")
  end
  return table.concat(parts, " ")
end

return M
