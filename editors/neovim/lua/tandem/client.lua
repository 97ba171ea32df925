-- Starts the server for buffers, and again when it dies.
local compat = require("tandem.compat")
local settings = require("tandem.settings")

local M = {}

-- What this plugin speaks; see docs/protocol.md.
local PROTOCOL = 1

M.INSTALL = "cargo install --path server/tandem (in the repository's root)"

-- How long is waited before a server is started again, in milliseconds, and how far back deaths
-- count.
local PAUSES = { 200, 500, 1000, 2000, 4000 }
local WINDOW = 180

---What is kept of one workspace.
---@class tandem.Workspace
---@field buffers table<integer, true> That are attached.
---@field deaths number[] When its server died, in seconds.
---@field is_waiting boolean Whether it is to be started again.
---@field trouble? string Why there is no server.

---@type table<string, tandem.Workspace>
local workspaces = {}
---@type table<integer, true> Clients that are to end.
local stopping = {}

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

---Whether the program is there; otherwise says how to get it.
---@return boolean
function M.check_program()
  if M.program() then
    return true
  end
  local name = settings.current().cmd[1]
  M.say(("`%s` is not on the PATH; install it: %s"):format(name, M.INSTALL), vim.log.levels.ERROR)
  return false
end

---The workspace that a buffer's file is in.
---@param bufnr integer
---@return string?
function M.root(bufnr)
  local own = settings.current()
  if own.root_dir then
    return own.root_dir(bufnr)
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  local root = vim.fs.root(name, own.root_markers)
  if root then
    return root
  end
  local folder = vim.uv.cwd()
  local is_wide = not folder or folder == "/" or folder == vim.uv.os_homedir()
  return not is_wide and vim.startswith(name, folder .. "/") and folder or nil
end

---Why a buffer is left alone; nil where it is not.
---@param bufnr integer
---@return string?
function M.obstacle(bufnr)
  local own = settings.current()
  if not vim.api.nvim_buf_is_valid(bufnr) or not vim.api.nvim_buf_is_loaded(bufnr) then
    return "it is not loaded"
  end
  local name = vim.api.nvim_buf_get_name(bufnr)
  if
    vim.bo[bufnr].buftype ~= ""
    or name == ""
    or name:match("^%a[%w+.-]+:")
    or name:find("tandem-git:/", 1, true)
  then
    return "it is no file"
  end
  if own.filetypes and not vim.list_contains(own.filetypes, vim.bo[bufnr].filetype) then
    return "its filetype is not among the settings' `filetypes`"
  end
  local lines = vim.api.nvim_buf_line_count(bufnr)
  -- Line ends take two bytes on the wire.
  if vim.api.nvim_buf_get_offset(bufnr, lines) + lines > own.max_bytes then
    return "it is too large (`max_bytes`)"
  end
  return nil
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

---The client that a buffer is attached to, or else the first one.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.client(bufnr)
  local own = vim.lsp.get_clients({ name = "tandem", bufnr = bufnr or 0 })[1]
  return own or vim.lsp.get_clients({ name = "tandem" })[1]
end

---Whether what a server speaks is what this plugin speaks; otherwise says so and ends it.
local function check_protocol(client, result)
  local said = vim.tbl_get(result, "capabilities", "experimental", "tandem") or {}
  if said.protocol == PROTOCOL then
    return
  end
  local version = vim.tbl_get(result, "serverInfo", "version") or "?"
  local text = ("the server %s speaks protocol %s and this plugin %d: update %s"):format(
    version,
    said.protocol or "none",
    PROTOCOL,
    (said.protocol or 0) > PROTOCOL and "the plugin" or "the server"
  )
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
    own.trouble = ("the server died %d times in %d s and is left alone; :Tandem log says more, "):format(
      count,
      WINDOW
    ) .. ":Tandem restart tries again. Your buffers are untouched"
    return M.say(own.trouble, vim.log.levels.ERROR)
  end
  own.is_waiting = true
  vim.defer_fn(function()
    own.is_waiting = false
    for bufnr in pairs(own.buffers) do
      M.attach(bufnr)
    end
  end, PAUSES[math.min(count, #PAUSES)])
end

local function on_exit(code, signal, id)
  vim.schedule(function()
    require("tandem.call").ended(id)
    require("tandem.status").ended(id)
    for _, name in ipairs({ "tandem.debug", "tandem.questions", "tandem.review" }) do
      if package.loaded[name] then
        package.loaded[name].ended(id)
      end
    end
    local client = vim.lsp.get_client_by_id(id)
    local root = M.roots[id] or (client and client.config.root_dir)
    M.roots[id] = nil
    if stopping[id] or not root or vim.v.exiting ~= vim.NIL then
      stopping[id] = nil
      return
    end
    if code == 0 and signal == 0 then
      return
    end
    again(root)
  end)
end

---@type table<integer, string> The workspace of each client.
M.roots = {}

---What `vim.lsp.config` is given before the person's own.
---@return vim.lsp.ClientConfig
function M.defaults()
  local own = settings.current()
  return {
    name = "tandem",
    cmd = own.cmd,
    root_markers = own.root_markers,
    capabilities = {
      experimental = {
        activity = true,
        commands = { commands = { "tandem.debug" } },
        debug = true,
        hunks = own.hunks,
        review = true,
        serverStatusNotification = true,
      },
      workspace = { didChangeConfiguration = { dynamicRegistration = false } },
    },
    handlers = require("tandem.handlers"),
    commands = {
      ["tandem.debug"] = function(command, context)
        require("tandem.debug").start(command.arguments[1], context and context.client_id)
      end,
    },
    init_options = settings.of_server(),
    settings = { tandem = settings.of_server() },
    on_init = check_protocol,
    on_exit = on_exit,
  }
end

---The person's `vim.lsp.config("tandem", ...)` over the defaults.
local function config()
  local own = M.defaults()
  -- Before 0.11 there is none.
  local given = vim.lsp.config and vim.lsp.config.tandem
  own = vim.tbl_deep_extend("force", own, given or {})
  own.capabilities =
    vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), own.capabilities)
  local on_init, on_exit_of = own.on_init, own.on_exit
  own.on_init = type(on_init) == "table" and on_init or { on_init }
  if not vim.list_contains(own.on_init, check_protocol) then
    table.insert(own.on_init, 1, check_protocol)
  end
  own.on_exit = type(on_exit_of) == "table" and on_exit_of or { on_exit_of }
  if not vim.list_contains(own.on_exit, on_exit) then
    table.insert(own.on_exit, on_exit)
  end
  return own
end

---Attaches a buffer, starting a server where none runs. Says nothing where it cannot be done:
---`:checkhealth tandem` does.
---@param bufnr integer
---@return integer? client_id
function M.attach(bufnr)
  local own = settings.current()
  if not own.enabled or M.obstacle(bufnr) or not M.program() then
    return nil
  end
  local root = M.root(bufnr)
  if not root or vim.fn.isdirectory(root) == 0 then
    return nil
  end
  root = vim.uv.fs_realpath(root) or root
  local of_root = workspace(root)
  of_root.buffers[bufnr] = true
  if of_root.is_waiting or (of_root.trouble and not running(root)) then
    return nil
  end
  local id = vim.lsp.start(vim.tbl_extend("force", config(), { root_dir = root }), {
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
    require("tandem.state").start()
    if own.hunks then
      require("tandem.hunks").start()
    end
  end
  return id
end

---Ends every server; their buffers are attached anew by `restart`.
function M.stop()
  for _, client in ipairs(vim.lsp.get_clients({ name = "tandem" })) do
    stopping[client.id] = true
    compat.client(client, "stop")
  end
end

---Ends every server and starts it anew, whatever happened before.
function M.restart()
  if not M.check_program() then
    return
  end
  M.stop()
  local function start()
    for _, own in pairs(workspaces) do
      own.deaths, own.trouble, own.is_waiting = {}, nil, false
    end
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      M.attach(bufnr)
    end
  end
  local tries = 0
  local function look()
    tries = tries + 1
    local left = vim.lsp.get_clients({ name = "tandem" })
    if #left == 0 then
      return start()
    end
    if tries == 30 then
      for _, client in ipairs(left) do
        compat.client(client, "stop", true)
      end
    end
    if tries < 100 then
      vim.defer_fn(look, 100)
    else
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
