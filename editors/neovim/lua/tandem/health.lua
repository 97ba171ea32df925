-- `:checkhealth tandem`
local client = require("tandem.client")
local settings = require("tandem.settings")

local M = {}

local function check_editor()
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok("Neovim " .. version)
  else
    vim.health.ok(
      "Neovim " .. version .. "; the tests run on 0.11, and have passed on 0.10.4 and 0.12.4"
    )
  end
end

local function check_program()
  local program = client.program()
  local name = settings.current().cmd[1]
  if not program then
    vim.health.error(("`%s` is not on the PATH"):format(name), { "install it: " .. client.INSTALL })
    return
  end
  local done = vim.system({ program, "--version" }, { text = true }):wait(5000)
  local said = vim.trim(done.stdout or "")
  if done.code == 0 then
    vim.health.ok(("%s (%s)"):format(said, program))
  else
    vim.health.error(("%s --version failed"):format(program), { vim.trim(done.stderr or "") })
  end
end

local function check_servers()
  local clients = vim.lsp.get_clients({ name = "tandem" })
  for _, one in ipairs(clients) do
    local status = require("tandem.status").of[one.id] or {}
    local buffers = vim.tbl_count(one.attached_buffers or {})
    local text = ("%s: %s, %d buffers, positions in %s"):format(
      one.config.root_dir or "no folder",
      status.health or "starting",
      buffers,
      one.offset_encoding
    )
    if status.health == "error" or status.health == "warning" then
      vim.health.warn(text, { status.message })
    else
      vim.health.ok(text)
    end
  end
  for root, trouble in pairs(client.troubles()) do
    vim.health.error(root .. ": " .. trouble)
  end
  if #clients == 0 then
    vim.health.info("no server is attached")
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(bufnr)
    local is_attached = #vim.lsp.get_clients({ name = "tandem", bufnr = bufnr }) > 0
    local is_listed = vim.bo[bufnr].buflisted and vim.bo[bufnr].buftype == ""
    if name ~= "" and is_listed and not is_attached then
      local why = client.why_not(bufnr)
      if why then
        vim.health.info(("%s is not attached: %s"):format(name, why))
      end
    end
  end
end

local function check_others()
  for name, what in pairs({ dap = "nvim-dap", neotest = "neotest" }) do
    if pcall(require, name) then
      vim.health.ok(what .. " is installed: see :help tandem-" .. name)
    else
      vim.health.info(what .. " is not installed; it is not needed")
    end
  end
  vim.health.info("review: " .. tostring(settings.of_server().review))
  for _, problem in ipairs(settings.problems()) do
    vim.health.warn(problem, { "see :help tandem-settings" })
  end
end

---What `:checkhealth` shows.
function M.check()
  vim.health.start("tandem")
  check_editor()
  check_program()
  check_servers()
  check_others()
end

return M
