-- What a person had turned on for a buffer, which Neovim forgets when its server ends.
local M = {}

---@class tandem.Shown
---@field hints boolean
---@field lenses boolean

---@type table<integer, tandem.Shown> Of buffers whose server has gone.
local shown = {}

---Keeps what a buffer shows, before its server is detached.
---@param bufnr integer
function M.keep(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local lenses = vim.lsp.codelens
  shown[bufnr] = {
    hints = vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }),
    -- Since 0.12 lenses are turned on and stay so; before, they are asked for.
    lenses = not lenses.enable and #lenses.get(bufnr) > 0,
  }
end

---Shows it again, once another server is attached.
---@param bufnr integer
function M.bring_back(bufnr)
  local own = shown[bufnr]
  shown[bufnr] = nil
  if not own or not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  if own.hints then
    -- What is on already would not be asked for again.
    vim.lsp.inlay_hint.enable(false, { bufnr = bufnr })
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if own.lenses then
    -- What the last server never answered would keep Neovim from asking this one.
    vim.lsp.codelens.on_codelens({ message = "the server has ended" }, nil, { bufnr = bufnr })
    vim.lsp.codelens.refresh({ bufnr = bufnr })
  end
end

return M
