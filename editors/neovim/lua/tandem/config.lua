-- The client configuration: this plugin's capabilities, and the person's settings.
local settings = require("tandem.settings")

local M = {}

---The defaults below the person's `vim.lsp.config`.
---@param on_init fun(client: vim.lsp.Client, result: lsp.InitializeResult)
---@param on_exit fun(code: integer, signal: integer, id: integer)
---@return vim.lsp.ClientConfig
function M.defaults(on_init, on_exit)
  local own = settings.current()
  return {
    name = "tandem",
    cmd = own.cmd,
    root_markers = own.root_markers,
    capabilities = {
      experimental = {
        activity = true,
        commands = { commands = { "tandem.debug", "tandem.rename", "tandem.run" } },
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
      ["tandem.run"] = function(command, context)
        require("tandem.run").start(command.arguments[1], context and context.client_id)
      end,
      -- After a refactoring with a generated name, lets the person rename it.
      ["tandem.rename"] = function(command, context)
        local uri, position = unpack(command.arguments)
        local client = vim.lsp.get_client_by_id(context.client_id)
        local place = { uri = uri, range = { start = position, ["end"] = position } }
        if
          client and vim.lsp.util.show_document(place, client.offset_encoding, { focus = true })
        then
          vim.lsp.buf.rename(nil, { name = "tandem" })
        end
      end,
    },
    init_options = settings.of_server(),
    settings = { tandem = settings.of_server() },
    on_init = on_init,
    on_exit = on_exit,
  }
end

---The person's `vim.lsp.config("tandem", ...)` over the defaults.
---@param defaults vim.lsp.ClientConfig
---@return vim.lsp.ClientConfig
function M.of(defaults)
  -- It does not exist before 0.11.
  local given = vim.lsp.config and vim.lsp.config.tandem
  local own = vim.tbl_deep_extend("force", defaults, given or {})
  -- Neovim may have cached earlier ones.
  local changes = { init_options = settings.changes(), settings = { tandem = settings.changes() } }
  own = vim.tbl_deep_extend("force", own, changes)
  own.capabilities =
    vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), own.capabilities)
  -- Our callbacks run in addition to the person's.
  for _, name in ipairs({ "on_init", "on_exit" }) do
    local hooks = type(own[name]) == "table" and own[name] or { own[name] }
    if not vim.list_contains(hooks, defaults[name]) then
      table.insert(hooks, 1, defaults[name])
    end
    own[name] = hooks
  end
  return own
end

return M
