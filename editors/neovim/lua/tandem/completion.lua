-- Completion by itself, while a name is typed.
local M = {}

-- Plugins that bring a completion of their own: two would show two menus.
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

-- Whether the person has set an option that is there for all buffers.
local function is_set(option)
  return vim.api.nvim_get_option_info2(option, {}).was_set
end

---Has a buffer complete by itself, where this Neovim can and the settings say so.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  local wanted = require("tandem.settings").current().completion
  local provider = client.server_capabilities.completionProvider
  if not (own and wanted and provider) or other() then
    return
  end
  -- The server's own characters are those behind which something begins; a name's begin one, too.
  local characters = vim.list_extend({}, provider.triggerCharacters or {})
  for letter in LETTERS:gmatch(".") do
    if not vim.list_contains(characters, letter) then
      table.insert(characters, letter)
    end
  end
  provider.triggerCharacters = characters
  own.enable(true, client.id, bufnr, { autotrigger = true })
  -- Else the first entry would be put in while the person types on.
  if not is_set("completeopt") then
    vim.bo[bufnr].completeopt = "menuone,noselect,popup"
  end
  if vim.fn.maparg("<C-Space>", "i") == "" then
    vim.keymap.set("i", "<C-Space>", function()
      -- 0.11.0 calls it otherwise.
      (own.get or own.trigger)()
    end, { buffer = bufnr, desc = "Complete" })
  end
end

---Ends it for a server that goes: Neovim would wait for its answers.
---@param client vim.lsp.Client
---@param bufnr integer
function M.detach(client, bufnr)
  if own then
    own.enable(false, client.id, bufnr)
  end
end

return M
