-- Runs the test or the program of a lens, `tandem.run`, and shows what came of it.
local M = {}

local namespace = vim.api.nvim_create_namespace("tandem.run")

---@class tandem.RunTarget The argument of the server's lens above a test or program.
---@field kind "test"|"main"
---@field name string
---@field path string
---@field run {tool: string, arguments: table}

local function say(text, level)
  require("tandem.client").say(text, level)
end

-- The absolute path of a file in a result.
local function absolute(client, path)
  return vim.startswith(path, "/") and path or (client.config.root_dir or "") .. "/" .. path
end

-- What a failure says: expected and found, if its runner reports both apart from the message.
local function words(failure)
  local lines = { failure.message ~= "" and failure.message or failure.name .. " failed" }
  if failure.expected and failure.found then
    if not (lines[1]:find(failure.expected, 1, true) and lines[1]:find(failure.found, 1, true)) then
      table.insert(lines, ("expected %s, found %s"):format(failure.expected, failure.found))
    end
  end
  return table.concat(lines, "\n")
end

-- Marks the failures in their files and lists them in the quickfix list.
local function show_failures(client, target, result)
  local by_file, items = {}, {}
  local function add(file, line, text)
    local path = absolute(client, file or target.path)
    local row = math.max((line or 1) - 1, 0)
    by_file[path] = by_file[path] or {}
    table.insert(by_file[path], {
      lnum = row,
      col = 0,
      message = text,
      severity = vim.diagnostic.severity.ERROR,
      source = "test",
    })
    table.insert(items, { filename = path, lnum = row + 1, col = 1, text = text, type = "E" })
  end
  for _, failure in ipairs(result.failures or {}) do
    add(failure.file, failure.line, words(failure))
  end
  -- It does not build.
  for _, one in ipairs(result.diagnostics or {}) do
    if one.severity == "error" then
      add(one.file, one.line, one.message)
    end
  end
  for path, found in pairs(by_file) do
    local bufnr = vim.fn.bufadd(path)
    if vim.api.nvim_buf_is_loaded(bufnr) then
      vim.diagnostic.set(namespace, bufnr, found)
    end
  end
  if #items > 0 then
    vim.fn.setqflist({}, " ", { title = "tandem: " .. target.name, items = items })
  end
end

local function show_test(client, target, result)
  vim.diagnostic.reset(namespace)
  local seconds = ("%.1f s"):format((result.duration_ms or 0) / 1000)
  if #(result.unsaved or {}) > 0 then
    seconds = seconds .. ", without the unsaved changes of " .. table.concat(result.unsaved, ", ")
  end
  if result.failed > 0 or not result.success then
    show_failures(client, target, result)
    local first = (result.failures or {})[1] or (result.diagnostics or {})[1]
    local text = first and words(first) or result.output or "it did not run"
    return say(("%s FAILED, %s\n%s"):format(target.name, seconds, text), vim.log.levels.ERROR)
  end
  local count = result.passed + result.skipped
  if count == 0 then
    return say(target.name .. ": its runner found no such test", vim.log.levels.WARN)
  end
  say(("%s %s, %s"):format(target.name, result.passed > 0 and "passed" or "was skipped", seconds))
end

---Runs a test or program. The person has started it, so it needs no approval.
---@param target tandem.RunTarget
---@param id? integer The client.
function M.start(target, id)
  local clients = require("tandem.client")
  local client = id and vim.lsp.get_client_by_id(id) or clients.client()
  if not client then
    return say("no server is attached", vim.log.levels.ERROR)
  end
  local compat = require("tandem.compat")
  compat.flush(client)
  local call = { tool = target.run.tool, arguments = target.run.arguments }
  if call.tool == "test" then
    say(("running %s"):format(target.name))
  end
  compat.client(client, "request", "tandem/call", call, function(trouble, result)
    if trouble then
      local hint = type(trouble.data) == "table" and trouble.data.hint
      local text = trouble.message .. (hint and ("\n" .. hint) or "")
      return say(text, vim.log.levels.ERROR)
    end
    if call.tool == "test" then
      return show_test(client, target, result)
    end
    require("tandem.processes").show(result.id)
  end)
end

---Runs the test or program at the cursor, or the only one.
function M.at_cursor()
  require("tandem.debug").choose("tandem.run", M.start)
end

return M
