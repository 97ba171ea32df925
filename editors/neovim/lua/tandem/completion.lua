-- Automatic completion while a name is typed.
local compat = require("tandem.compat")

local M = {}

-- Completion plugins: with one of them there would be two menus.
local OTHERS = { "cmp", "blink.cmp", "coq", "mini.completion", "care" }

local LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

local function other()
  for _, name in ipairs(OTHERS) do
    if package.loaded[name] then
      return name
    end
  end
end

-- Since 0.11; nil before.
local own = vim.lsp.completion -- 0.11
own = own and own.enable and own or nil

-- Whether the person has set the global value of an option.
local function is_set(option)
  return vim.api.nvim_get_option_info2(option, {}).was_set
end

-- Shows signature and documentation of the chosen entry beside the menu. The server sends them on
-- request only.
local function show_documentation(client_id, bufnr)
  local set = vim.api.nvim__complete_set -- 0.11
  local entry = vim.v.event.completed_item
  local item = vim.tbl_get(entry, "user_data", "nvim", "lsp", "completion_item")
  local client = vim.lsp.get_client_by_id(client_id)
  if not (set and item and item.data and client) then
    return
  end
  local chosen = vim.fn.complete_info({ "selected" }).selected
  compat.client(client, "request", "completionItem/resolve", item, function(_, resolved)
    local now = vim.fn.complete_info({ "selected" }).selected
    if not resolved or now ~= chosen or vim.fn.pumvisible() == 0 then
      return
    end
    local parts = {}
    if resolved.detail then
      table.insert(parts, ("```%s\n%s\n```"):format(vim.bo[bufnr].filetype, resolved.detail))
    end
    local documentation = resolved.documentation
    documentation = type(documentation) == "table" and documentation.value or documentation
    if documentation and documentation ~= "" then
      table.insert(parts, documentation)
    end
    if #parts == 0 then
      return
    end
    local shown = set(chosen, { info = table.concat(parts, "\n\n") })
    if shown and shown.bufnr and vim.api.nvim_buf_is_valid(shown.bufnr) then
      pcall(vim.treesitter.start, shown.bufnr, "markdown")
      vim.wo[shown.winid].conceallevel = 2
      vim.wo[shown.winid].wrap = true
    end
  end, bufnr)
end

---Enables automatic completion in a buffer, if Neovim supports it and the settings allow it.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  local wanted = require("tandem.settings").current().completion
  local provider = client.server_capabilities.completionProvider
  if not (own and wanted and provider) or other() then
    return
  end
  -- The server's trigger characters come before names; characters of names are triggers, too.
  local characters = vim.list_extend({}, provider.triggerCharacters or {})
  for letter in LETTERS:gmatch(".") do
    if not vim.list_contains(characters, letter) then
      table.insert(characters, letter)
    end
  end
  provider.triggerCharacters = characters
  own.enable(true, client.id, bufnr, { autotrigger = true })
  -- Otherwise the first entry would be inserted while the person types.
  if not is_set("completeopt") then
    vim.bo[bufnr].completeopt = "menuone,noselect,popup"
  end
  vim.api.nvim_create_autocmd("CompleteChanged", {
    group = vim.api.nvim_create_augroup("tandem.completion." .. bufnr, {}),
    buffer = bufnr,
    callback = function()
      show_documentation(client.id, bufnr)
    end,
  })
  if vim.fn.maparg("<C-Space>", "i") == "" then
    vim.keymap.set("i", "<C-Space>", function()
      -- 0.11.0 has another name for it.
      (own.get or own.trigger)()
    end, { buffer = bufnr, desc = "Complete" })
  end
end

---Disables it before a server ends, because Neovim would wait for its answers.
---@param client vim.lsp.Client
---@param bufnr integer
function M.detach(client, bufnr)
  if own then
    own.enable(false, client.id, bufnr)
    pcall(vim.api.nvim_del_augroup_by_name, "tandem.completion." .. bufnr)
  end
end

return M
