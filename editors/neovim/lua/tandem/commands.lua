-- The subcommands of `:Tandem`.
local client = require("tandem.client")
local settings = require("tandem.settings")

local M = {}

local function fail(error)
  local hint = error.hint and ("\n" .. error.hint) or ""
  client.say(("%s: %s%s"):format(error.code, error.message, hint), vim.log.levels.ERROR)
end

-- Calls a tool and passes its result on; reports errors.
local function call(tool, params, done)
  require("tandem.call").call(tool, params, {
    on_done = function(error, result)
      if error then
        return fail(error)
      end
      done(result)
    end,
  })
end

local function scratch(lines, name, filetype)
  vim.cmd("botright new")
  local bufnr = vim.api.nvim_get_current_buf()
  vim.bo[bufnr].buftype = "nofile"
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].filetype = filetype or ""
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  pcall(vim.api.nvim_buf_set_name, bufnr, name)
end

-- Formats JSON on several lines, with sorted keys.
local function pretty(value, indent)
  indent = indent or ""
  if type(value) ~= "table" or vim.tbl_isempty(value) then
    return vim.json.encode(value)
  end
  local inner = indent .. "  "
  local parts = {}
  if vim.islist(value) then
    for _, one in ipairs(value) do
      table.insert(parts, inner .. pretty(one, inner))
    end
    return "[\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "]"
  end
  local keys = vim.tbl_keys(value)
  table.sort(keys)
  for _, key in ipairs(keys) do
    table.insert(parts, ("%s%s: %s"):format(inner, vim.json.encode(key), pretty(value[key], inner)))
  end
  return "{\n" .. table.concat(parts, ",\n") .. "\n" .. indent .. "}"
end

local function tool_names()
  local names = {}
  for name, value in pairs(require("tandem.generated.tools")) do
    if type(value) == "function" then
      table.insert(names, name)
    end
  end
  table.sort(names)
  return names
end

local function status()
  local clients = vim.lsp.get_clients({ name = "tandem" })
  local lines = {}
  for _, one in ipairs(clients) do
    local of = require("tandem.status").of[one.id] or {}
    local reads = of.quiescent and ("%d files indexed"):format(of.files) or "indexing"
    table.insert(
      lines,
      ("%s: %s, %s, %d calls running"):format(
        one.config.root_dir or "no folder",
        of.health or "starting",
        reads,
        of.agents or 0
      )
    )
    -- Both are optional.
    for _, name in ipairs({ "message", "lastError" }) do
      if type(of[name]) == "string" then
        table.insert(lines, "  " .. of[name])
      end
    end
  end
  for root, trouble in pairs(client.troubles()) do
    table.insert(lines, ("%s: %s"):format(root, trouble))
  end
  if #lines == 0 then
    if not client.program() then
      return client.check_program()
    end
    local why = client.why_not(vim.api.nvim_get_current_buf())
    table.insert(lines, "no server is attached" .. (why and ": " .. why or ""))
  end
  client.say(table.concat(lines, "\n"))
end

local function undo(words)
  require("tandem.activity").undo(words[1])
end

local function checkpoint(words)
  local action = words[1] or "list"
  local params = { action = action }
  if action == "create" then
    params.message = #words > 1 and table.concat(words, " ", 2) or nil
  else
    params.id = words[2]
  end
  call("git_checkpoint", params, function(result)
    if action == "list" then
      local lines = {}
      for _, one in ipairs(result.checkpoints or {}) do
        table.insert(lines, ("%s  %s  %s"):format(one.id, one.timestamp, one.message))
      end
      return client.say(#lines > 0 and table.concat(lines, "\n") or "there are no checkpoints")
    end
    if action == "diff" then
      return scratch(vim.split(result.diff or "", "\n"), "tandem checkpoint", "diff")
    end
    if action == "restore" then
      vim.cmd.checktime()
      local count = #(result.restored or {})
      return client.say(("%d files restored; :Tandem undo reverts that"):format(count))
    end
    client.say(action .. ": done")
  end)
end

local function hunks(words)
  local own = require("tandem.hunks")
  local action = words[1]
  if action == "next" or action == "prev" then
    return own.jump(action == "next")
  elseif action == "preview" or action == "quickfix" then
    return own[action]()
  end
  own.act(action or "")
end

local function conflicts(words)
  require("tandem.hunks").act(words[1] or "")
end

-- Whether this command has turned inlay hints on; other servers may use them, too.
local has_enabled_hints = false

local function blame()
  local hints = vim.lsp.inlay_hint
  local is_shown = settings.of_server().git.blame.inlay and hints.is_enabled()
  M.configure({ git = { blame = { inlay = not is_shown, hover = not is_shown } } })
  if not is_shown and not hints.is_enabled() then
    has_enabled_hints = true
    hints.enable(true)
  elseif is_shown and has_enabled_hints then
    has_enabled_hints = false
    hints.enable(false)
  end
end

---Changes settings of every server, including those that start later.
---@param changes table
function M.configure(changes)
  local compat = require("tandem.compat")
  settings.change(changes)
  for _, one in ipairs(vim.lsp.get_clients({ name = "tandem" })) do
    one.settings = vim.tbl_deep_extend("force", one.settings or {}, { tandem = changes })
    compat.client(one, "notify", "workspace/didChangeConfiguration", { settings = one.settings })
  end
end

local function review(words)
  local own = require("tandem.review")
  local action = words[1] or "focus"
  if action == "on" or action == "off" then
    M.configure({ review = action == "on" and "always" or "never" })
    return client.say(
      action == "on" and "changes are shown before they are made" or "changes are made at once"
    )
  elseif action == "toggle" then
    return own.toggle(tonumber(words[2]), tonumber(words[3]))
  elseif vim.list_contains({ "accept", "reject", "apply", "focus" }, action) then
    return own[action]()
  end
  client.say("review takes accept, reject, apply, toggle, on or off", vim.log.levels.ERROR)
end

local function tools(words)
  if words[1] then
    local name = words[1]
    if not vim.list_contains(tool_names(), name) then
      return client.say("unknown tool `" .. name .. "`", vim.log.levels.ERROR)
    end
    local where = vim.api.nvim_get_runtime_file("lua/tandem/generated/tools.lua", false)[1]
    -- In a scratch buffer: opening the file itself would start a server for its folder.
    scratch(vim.fn.readfile(where), "tandem tools", "lua")
    vim.fn.search("^function M\\." .. name .. "(", "w")
    return
  end
  client.say(table.concat(tool_names(), " "))
end

local function run_tool(words, rest)
  local tool = words[1]
  if not tool then
    return client.say("call TOOL {json}", vim.log.levels.ERROR)
  end
  local json = vim.trim(rest:sub(#tool + 1))
  local ok, params = pcall(vim.json.decode, json ~= "" and json or "{}")
  if not ok or type(params) ~= "table" then
    return client.say("the parameters are not a JSON object: " .. json, vim.log.levels.ERROR)
  end
  local attached = client.client()
  local root = attached and attached.config.root_dir or vim.uv.cwd()
  call(tool, params, function(result)
    local items = require("tandem.quickfix").items(result, root)
    if #items > 0 then
      return require("tandem.quickfix").show(items, tool)
    end
    scratch(vim.split(pretty(result), "\n"), "tandem " .. tool, "json")
  end)
end

local function log()
  vim.cmd.tabnew(vim.fn.fnameescape(vim.lsp.get_log_path()))
  vim.cmd("normal! G")
end

local function index()
  local program = client.program()
  if not program then
    return client.check_program()
  end
  local attached = client.client()
  local root = attached and attached.config.root_dir or vim.uv.cwd()
  vim.system({ program, "index", root }, { text = true }, function(done)
    local said = vim.trim(done.stdout ~= "" and done.stdout or done.stderr or "")
    vim.schedule(function()
      scratch(vim.split(said, "\n"), "tandem index")
    end)
  end)
end

local function start()
  local bufnr = vim.api.nvim_get_current_buf()
  if client.check_program() and not client.start(bufnr) then
    client.say("not attached: " .. (client.why_not(bufnr) or "its server is starting"))
  end
end

local function debug(words)
  local own = require("tandem.debug")
  local action = words[1] or "show"
  if action == "join" then
    return own.join(tonumber(words[2]))
  elseif action == "start" then
    return own.at_cursor()
  elseif action == "show" or action == "output" then
    return own[action]()
  end
  client.say("debug takes join, output, show or start", vim.log.levels.ERROR)
end

---@type table<string, {run: fun(words: string[], rest: string), words?: string[]|fun(): string[]}>
local COMMANDS = {
  activity = {
    run = function()
      require("tandem.activity").list()
    end,
  },
  blame = { run = blame, words = { "toggle" } },
  call = { run = run_tool, words = tool_names },
  checkpoint = { run = checkpoint, words = { "create", "diff", "list", "prune", "restore" } },
  conflicts = { run = conflicts, words = { "both", "ours", "theirs" } },
  debug = { run = debug, words = { "join", "output", "show", "start" } },
  hunks = {
    run = hunks,
    words = { "next", "prev", "preview", "quickfix", "revert", "stage", "unstage" },
  },
  index = { run = index },
  log = { run = log },
  processes = {
    run = function(words)
      require("tandem.processes").show(words[1])
    end,
  },
  restart = { run = client.restart },
  review = { run = review, words = { "accept", "apply", "off", "on", "reject", "toggle" } },
  run = {
    run = function()
      require("tandem.run").at_cursor()
    end,
  },
  start = { run = start },
  status = { run = status },
  stop = { run = client.stop },
  tools = { run = tools, words = tool_names },
  undo = { run = undo },
}

local function names()
  local found = vim.tbl_keys(COMMANDS)
  table.sort(found)
  return found
end

---@param command {fargs: string[], args: string}
function M.run(command)
  local words = vim.list_slice(command.fargs)
  local name = table.remove(words, 1) or "status"
  local found = COMMANDS[name]
  if not found then
    local text = ("there is no `%s`; there are %s"):format(name, table.concat(names(), ", "))
    return client.say(text, vim.log.levels.ERROR)
  end
  found.run(words, vim.trim(command.args:sub(#name + 1)))
end

---@param lead string
---@param line string
---@param column integer
---@return string[]
function M.complete(lead, line, column)
  local before = vim.split(vim.trim(line:sub(1, column - #lead)), "%s+")
  -- The first word is the command itself, after modifiers such as `:silent`.
  while #before > 1 and not before[1]:find("Tan", 1, true) do
    table.remove(before, 1)
  end
  local found = {}
  if #before == 1 then
    found = names()
  elseif #before == 2 and COMMANDS[before[2]] then
    local words = COMMANDS[before[2]].words or {}
    found = type(words) == "function" and words() or words
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, found)
end

return M
