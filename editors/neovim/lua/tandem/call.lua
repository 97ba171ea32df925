-- Calls tools.
local compat = require("tandem.compat")

local M = {}

---@class tandem.CallOptions
---@field client? vim.lsp.Client The server; by default the buffer's.
---@field bufnr? integer The buffer whose server is called; by default the current one.
---@field timeout? integer Milliseconds; 130000 by default.
---@field on_done? fun(error: tandem.ToolError?, result: table?) Receives the answer later.

-- Longer than the timeout of an approval.
local PATIENCE = 130000

---@type table<integer, table<table, fun(error: table)>> Pending calls, by client.
local waiting = {}

local function failure(code, message, hint)
  return { code = code, message = message, recoverable = true, hint = hint }
end

-- Converts a response's error to a tool's.
local function of_response(trouble)
  if type(trouble) == "table" and type(trouble.data) == "table" and trouble.data.code then
    return trouble.data
  end
  local message = type(trouble) == "table" and trouble.message or tostring(trouble)
  return failure("E_INTERNAL", message)
end

---Ends the pending calls of a server that has ended.
---@param id integer
function M.ended(id)
  local left = waiting[id] or {}
  waiting[id] = nil
  for _, done in pairs(left) do
    done(failure("E_UNAVAILABLE", "the server ended before it answered", "call again"))
  end
end

---Calls a tool. With `opts.on_done` it returns at once, with a function that cancels; in a coroutine it
---yields until there is an answer; otherwise it blocks.
---@param tool string
---@param params? table
---@param opts? tandem.CallOptions
---@return table? result
---@return tandem.ToolError? error
function M.call(tool, params, opts)
  opts = opts or {}
  local routine, is_main = coroutine.running()
  local can_yield = routine and not is_main
  local client = opts.client or require("tandem.client").client(opts.bufnr)
  if not client then
    local error =
      failure("E_UNAVAILABLE", "no tandem server is attached", "see :checkhealth tandem")
    if opts.on_done then
      opts.on_done(error, nil)
      return nil
    end
    return nil, error
  end
  if params == nil or next(params) == nil then
    params = vim.empty_dict()
  end
  local bufnr = opts.bufnr or vim.api.nvim_get_current_buf()
  local result, error, is_over
  local function done(what, given)
    if is_over then
      return
    end
    is_over, error, result = true, what, given
    if opts.on_done then
      opts.on_done(error, result)
    elseif can_yield then
      require("tandem.routines").resume(routine)
    end
  end
  local key = {}
  waiting[client.id] = waiting[client.id] or {}
  waiting[client.id][key] = done
  local function answered(trouble, given)
    if waiting[client.id] then
      waiting[client.id][key] = nil
    end
    done(trouble and of_response(trouble) or nil, given)
  end
  compat.flush(client)
  local ok, id = compat.client(client, "request", "workspace/executeCommand", {
    command = "tandem." .. tool,
    arguments = { params },
  }, answered, bufnr)
  if not ok then
    answered({ data = failure("E_UNAVAILABLE", "the server does not take requests") })
  end
  local function cancel()
    if not is_over and id then
      compat.client(client, "cancel_request", id)
      -- Neovim does not pass on the answer to a cancelled request.
      answered({ data = failure("E_CANCELLED", tool .. ": cancelled") })
    end
  end
  if opts.on_done then
    return cancel
  end
  if can_yield then
    if not is_over then
      coroutine.yield()
    end
    return result, error
  end
  local timeout = opts.timeout or PATIENCE
  local has_ended = vim.wait(timeout, function()
    return is_over
  end, 5)
  if not has_ended then
    cancel()
    return nil, failure("E_TIMEOUT", ("%s: no answer in %d ms"):format(tool, timeout))
  end
  return result, error
end

return M
