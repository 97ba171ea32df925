-- Starts the server for buffers, and restarts it when it crashes.
local buffers = require("tandem.buffers")
local compat = require("tandem.compat")
local config = require("tandem.config")
local settings = require("tandem.settings")

local M = {}

M.INSTALL = "cargo install --path server/tandem --features full (in the repository's root)"

-- The pauses before restarts, in milliseconds, and the window in which crashes count, in seconds.
local PAUSES = { 200, 500, 1000, 2000, 4000 }
local WINDOW = 180

---The state of one workspace.
---@class tandem.Workspace
---@field buffers table<integer, true> The attached ones.
---@field deaths number[] Times of the server's crashes, in seconds.
---@field is_waiting boolean Whether a restart is pending.
---@field trouble? string Why there is no server.

---@type table<string, tandem.Workspace>
local workspaces = {}
---@type table<integer, true> Clients that are being stopped.
local stopping = {}
-- Whether a person has stopped the servers and not started one since.
local is_ended = false
---@type string? The workspace of the last entered attached buffer.
local latest

local function workspace(root)
  workspaces[root] = workspaces[root] or { buffers = {}, deaths = {}, is_waiting = false }
  return workspaces[root]
end

---@param message string
---@param level? integer
function M.say(message, level)
  vim.schedule(function()
    vim.notify("tandem: " .. message, level or vim.log.levels.INFO)
  end)
end

---The server's program, if there is one.
---@return string?
function M.program()
  local found = vim.fn.exepath(settings.current().cmd[1])
  return found ~= "" and found or nil
end

---Whether the program exists; otherwise a message says how to install it.
---@return boolean
function M.check_program()
  if M.program() then
    return true
  end
  local name = settings.current().cmd[1]
  M.say(("`%s` is not on the PATH; install it: %s"):format(name, M.INSTALL), vim.log.levels.ERROR)
  return false
end

---Why files are not attached automatically; nil if they are.
---@return string?
function M.reluctance()
  if not settings.current().enabled then
    return "`enabled` is false; :Tandem start attaches a buffer"
  end
  return is_ended and "the servers were stopped by :Tandem stop; :Tandem start attaches a buffer"
    or nil
end

---Why a buffer has no server, if that is known; nil if one is starting.
---@param bufnr integer
---@return string?
function M.why_not(bufnr)
  local obstacle = buffers.obstacle(bufnr)
  if obstacle then
    return obstacle
  end
  local root = buffers.root(bufnr)
  if not root or vim.fn.isdirectory(root) == 0 then
    return "it is in no workspace (`root_markers`)"
  end
  local own = workspaces[vim.uv.fs_realpath(root) or root]
  return own and own.trouble or M.reluctance()
end

---@param root string
---@return vim.lsp.Client?
local function running(root)
  for _, client in ipairs(vim.lsp.get_clients({ name = "tandem" })) do
    if client.config.root_dir == root and not client:is_stopped() and not stopping[client.id] then
      return client
    end
  end
end

---The client of a buffer; for a buffer that was never attached, that of the workspace used last. There is
---none if that has ended: another workspace's client would act elsewhere.
---@param bufnr? integer By default the current one.
---@return vim.lsp.Client?
function M.client(bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local own = vim.lsp.get_clients({ name = "tandem", bufnr = bufnr })[1]
  if own then
    return own
  end
  for root, known in pairs(workspaces) do
    if known.buffers[bufnr] then
      return running(root)
    end
  end
  if latest then
    return running(latest)
  end
  return vim.lsp.get_clients({ name = "tandem" })[1]
end

---The client whose workspace contains a file.
---@param path string Absolute.
---@return vim.lsp.Client?
function M.client_of(path)
  local found
  for _, client in ipairs(vim.lsp.get_clients({ name = "tandem" })) do
    local root = client.config.root_dir
    if root and vim.startswith(path, root .. "/") then
      -- Of two nested workspaces, the inner one.
      found = (not found or #root > #found.config.root_dir) and client or found
    end
  end
  return found
end

local has_followed = false

-- Remembers the workspace used last.
local function follow()
  if has_followed then
    return
  end
  has_followed = true
  vim.api.nvim_create_autocmd({ "BufEnter", "LspAttach" }, {
    group = vim.api.nvim_create_augroup("tandem.client", {}),
    callback = function()
      local client = vim.lsp.get_clients({ name = "tandem", bufnr = 0 })[1]
      latest = client and client.config.root_dir or latest
    end,
  })
end

-- Stops a server that speaks another protocol, with a message.
local function check_protocol(client, result)
  local text = require("tandem.protocol").problem(result)
  if not text then
    return
  end
  workspace(client.config.root_dir).trouble = text
  M.say(text, vim.log.levels.ERROR)
  stopping[client.id] = true
  vim.schedule(function()
    compat.client(client, "stop", true)
  end)
end

local function again(root)
  local own = workspace(root)
  local now = os.time()
  own.deaths = vim.tbl_filter(function(at)
    return now - at < WINDOW
  end, own.deaths)
  table.insert(own.deaths, now)
  local count = #own.deaths
  if count > settings.current().restarts then
    own.trouble = ("the server crashed %d times in %d s, so it stays off; "):format(count, WINDOW)
      .. ":Tandem log says more, :Tandem restart tries again. Your buffers are untouched"
    return M.say(own.trouble, vim.log.levels.ERROR)
  end
  own.is_waiting = true
  vim.defer_fn(function()
    -- A person may have stopped or started it meanwhile.
    if own.is_waiting then
      own.is_waiting = false
      M.attach_again(own)
    end
  end, PAUSES[math.min(count, #PAUSES)])
end

local function on_exit(code, signal, id)
  local ending = vim.lsp.get_client_by_id(id)
  -- 0.10 does not report whether it was stopped on purpose.
  local is_told = ending and rawget(ending, "_is_stopping") == true
  vim.schedule(function()
    require("tandem.call").ended(id)
    require("tandem.status").ended(id)
    for _, name in ipairs({ "tandem.debug", "tandem.questions", "tandem.review", "tandem.state" }) do
      if package.loaded[name] then
        package.loaded[name].ended(id)
      end
    end
    local client = vim.lsp.get_client_by_id(id)
    local root = M.roots[id] or (client and client.config.root_dir)
    M.roots[id] = nil
    local is_wanted = not (stopping[id] or is_told or (code == 0 and signal == 0))
    stopping[id] = nil
    if not root or vim.v.exiting ~= vim.NIL then
      return
    end
    if is_wanted then
      again(root)
    end
    if not workspace(root).is_waiting and package.loaded["tandem.hunks"] then
      package.loaded["tandem.hunks"].clear(vim.tbl_keys(workspace(root).buffers))
    end
  end)
end

---@type table<integer, string> The workspace of each client.
M.roots = {}

---The defaults below the person's `vim.lsp.config`.
---@return vim.lsp.ClientConfig
function M.defaults()
  return config.defaults(check_protocol, on_exit)
end

local has_told = false

-- Reports problems of the settings, once.
local function tell_problems()
  local problems = not has_told and settings.problems() or {}
  if #problems > 0 then
    has_told = true
    M.say(problems[1] .. "; see :checkhealth tandem", vim.log.levels.WARN)
  end
end

-- Detaches a client from a buffer after its answer for semantic tokens: Neovim 0.11 fails on an answer
-- for a detached buffer.
local function detach(bufnr, client, tries)
  local is_waiting = false
  for _, request in pairs(client.requests) do
    is_waiting = is_waiting
      or request.bufnr == bufnr
        and request.type == "pending"
        and vim.startswith(request.method, "textDocument/semanticTokens")
  end
  if is_waiting and tries > 0 then
    return vim.defer_fn(function()
      detach(bufnr, client, tries - 1)
    end, 20)
  end
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.lsp.buf_detach_client(bufnr, client.id)
  end
end

local has_told_missing = false

-- Reports once that there is no program, when a file would have been attached.
local function tell_missing()
  if not has_told_missing then
    has_told_missing = true
    M.check_program()
  end
end

---Attaches a buffer, and starts a server if none runs. If the program is missing, one message says so;
---`:checkhealth tandem` shows other causes.
---@param bufnr integer
---@param is_asked? boolean Whether a person requested it, even if it is disabled for other buffers.
---@return integer? client_id
function M.attach(bufnr, is_asked)
  local own = settings.current()
  if (M.reluctance() and not is_asked) or buffers.obstacle(bufnr) then
    return nil
  end
  local root = buffers.root(bufnr)
  if not root or vim.fn.isdirectory(root) == 0 then
    return nil
  end
  if not M.program() then
    tell_missing()
    return nil
  end
  root = vim.uv.fs_realpath(root) or root
  local of_root = workspace(root)
  of_root.buffers[bufnr] = true
  if of_root.is_waiting or (of_root.trouble and not running(root)) then
    return nil
  end
  local id = vim.lsp.start(vim.tbl_extend("force", config.of(M.defaults()), { root_dir = root }), {
    bufnr = bufnr,
    silent = true,
    reuse_client = function(client, wanted)
      return client.name == "tandem"
        and client.config.root_dir == wanted.root_dir
        and not stopping[client.id]
    end,
  })
  if id then
    M.roots[id] = root
    for _, other in ipairs(vim.lsp.get_clients({ name = "tandem", bufnr = bufnr })) do
      -- It was saved under another name, and belonged to this workspace before.
      if other.id ~= id then
        detach(bufnr, other, 20)
        workspace(other.config.root_dir).buffers[bufnr] = nil
      end
    end
    follow()
    tell_problems()
    require("tandem.state").start()
    require("tandem.diagnostics").start()
    if own.hunks then
      require("tandem.hunks").start()
    end
  end
  return id
end

---Attaches the buffers of a workspace's former server.
---@param own tandem.Workspace
function M.attach_again(own)
  for _, bufnr in ipairs(vim.tbl_keys(own.buffers)) do
    if vim.api.nvim_buf_is_valid(bufnr) then
      M.attach(bufnr, true)
    else
      own.buffers[bufnr] = nil
    end
  end
end

---Attaches a buffer because a person requested it.
---@param bufnr integer
---@return integer? client_id
function M.start(bufnr)
  is_ended = false
  return M.attach(bufnr, true)
end

local function end_all()
  local ids = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = "tandem" })) do
    stopping[client.id] = true
    table.insert(ids, client.id)
    compat.client(client, "stop")
  end
  return ids
end

---Stops every server and cancels restarts; `start` and `restart` undo that.
function M.stop()
  is_ended = true
  for _, own in pairs(workspaces) do
    own.is_waiting = false
  end
  end_all()
end

---Restarts every server.
function M.restart()
  if not M.check_program() then
    return
  end
  is_ended = false
  for _, own in pairs(workspaces) do
    -- Buffers opened meanwhile wait with the others.
    own.deaths, own.trouble, own.is_waiting = {}, nil, true
  end
  local ids = end_all()
  local function left()
    local found = {}
    for _, id in ipairs(ids) do
      table.insert(found, vim.lsp.get_client_by_id(id))
    end
    return found
  end
  local function start()
    for _, own in pairs(workspaces) do
      own.is_waiting = false
      M.attach_again(own)
    end
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      M.attach(bufnr)
    end
  end
  local tries = 0
  local function look()
    tries = tries + 1
    local late = left()
    if tries == 30 then
      for _, client in ipairs(late) do
        compat.client(client, "stop", true)
      end
    end
    if #late > 0 and tries < 100 then
      vim.defer_fn(look, 100)
    elseif not is_ended then
      start()
    end
  end
  look()
end

---Why there is no server for a workspace, if that is known.
---@return table<string, string>
function M.troubles()
  local troubles = {}
  for root, own in pairs(workspaces) do
    troubles[root] = own.trouble
  end
  return troubles
end

return M
