-- Helpers for coroutines that wait for an answer.
local M = {}

---Resumes a coroutine. Its caller has returned long ago, so errors are reported here.
---@param routine thread
---@param ... any The awaited values.
function M.resume(routine, ...)
  local ok, trouble = coroutine.resume(routine, ...)
  if not ok then
    local text = debug.traceback(routine, tostring(trouble))
    require("tandem.client").say(text, vim.log.levels.ERROR)
  end
end

return M
