-- An adapter for neotest: `require("neotest").setup({ adapters = { require("tandem.neotest") } })`.
-- The server finds the tests, their own runners run them, and `tandem dap` debugs them.
local runners = require("tandem.runners")

---@class tandem.neotest.Adapter
local M = { name = "tandem" }

---@class tandem.neotest.Position
---@field id string
---@field type "dir"|"file"|"namespace"|"test"
---@field name string
---@field path string
---@field range integer[] First line and column, last line and column, 0-based.
---@field names? string[] The names of the surrounding classes or modules, and its own.
---@field launch? table The arguments of `debug_launch`.

---The workspace of a folder.
---@param folder string
---@return string?
function M.root(folder)
  local settings = require("tandem.settings").current()
  return vim.fs.root(folder, settings.root_markers)
end

---@param name string
---@return boolean
function M.filter_dir(name)
  return not vim.list_contains({ "node_modules", "target", ".venv", "__pycache__" }, name)
end

---@param path string
---@return boolean
function M.is_test_file(path)
  local runner = runners.of(path)
  if not runner then
    return false
  end
  if not runner.contains then
    return true
  end
  local file = io.open(path, "rb")
  local text = file and file:read(1024 * 1024) or ""
  if file then
    file:close()
  end
  return text:find(runner.contains, 1, true) ~= nil
end

---The tests of a file as the nested lists of neotest's tree.
---@param path string
---@param targets {line: integer, target: tandem.DebugTarget}[]
---@return table
function M.positions(path, targets)
  local list = {
    {
      id = path,
      type = "file",
      name = vim.fs.basename(path),
      path = path,
      range = { 0, 0, 1e6, 0 },
    },
  }
  -- Grouped by the names around them.
  local spaces = { [""] = list }
  local tests = vim.tbl_filter(function(one)
    return one.target.kind == "test"
  end, targets)
  table.sort(tests, function(a, b)
    return a.line < b.line
  end)
  for index, one in ipairs(tests) do
    local launch = one.target.launch or {}
    local names = vim.split(launch.test or one.target.name, "::", { plain = true })
    if launch.test then
      -- The first entry is the file.
      table.remove(names, 1)
    end
    local last = tests[index + 1] and tests[index + 1].line - 1 or 1e6
    local above, inside = "", list
    for depth = 1, #names - 1 do
      above = above .. "::" .. names[depth]
      if not spaces[above] then
        local space = {
          id = path .. above,
          type = "namespace",
          name = names[depth],
          path = path,
          range = { one.line, 0, last, 0 },
          names = vim.list_slice(names, 1, depth),
        }
        spaces[above] = { space }
        table.insert(inside, spaces[above])
      end
      inside = spaces[above]
      inside[1].range[3] = last
    end
    table.insert(inside, {
      {
        id = path .. "::" .. table.concat(names, "::"),
        type = "test",
        name = names[#names],
        path = path,
        range = { one.line, 0, last, 0 },
        names = names,
        launch = one.target.launch,
      },
    })
  end
  return list
end

-- Requests the tests of a file from the server, in a coroutine of neotest's.
local function asked(path)
  local debug = require("tandem.debug")
  local ask = require("nio").wrap(function(done)
    vim.schedule(function()
      local clients = require("tandem.client")
      local client = clients.client_of(path) or clients.client()
      if not client then
        return done({})
      end
      debug.targets(vim.uri_from_fname(path), client, done)
    end)
  end, 1)
  return ask()
end

---@param path string
---@return table? neotest.Tree
function M.discover_positions(path)
  local list = M.positions(path, asked(path))
  return require("neotest.types").Tree.from_list(list, function(position)
    return position.id
  end)
end

-- The path relative to the workspace's folder.
local function shown(path, root)
  if root and vim.startswith(path, root .. "/") then
    return path:sub(#root + 2)
  end
  return path == root and "." or path
end

-- The first file below a folder of the tree.
local function file_in(tree)
  for _, position in tree:iter() do
    if position.type == "file" then
      return position.path
    end
  end
end

---@param args {tree: table, strategy?: string, extra_args?: string[]}
---@return table? neotest.RunSpec
function M.build_spec(args)
  ---@type tandem.neotest.Position
  local position = args.tree:data()
  local file = position.type == "dir" and file_in(args.tree) or position.path
  local runner, language = runners.of(file or "")
  if not runner then
    return nil
  end
  local root = M.root(vim.fs.dirname(file))
  local path = shown(position.path, root)
  if args.strategy == "dap" then
    if position.type ~= "test" or not position.launch then
      vim.notify("tandem: only one test at a time can be debugged", vim.log.levels.WARN)
      return nil
    end
    require("tandem.dap").setup()
    local wanted = { type = "tandem", request = "launch", name = position.name }
    return {
      cwd = root,
      context = { id = position.id, language = language },
      strategy = vim.tbl_extend("force", position.launch, wanted),
    }
  end
  local templates = { dir = runner.folder, file = runner.file }
  local command = runners.command(templates[position.type] or runner.one, path, position.names)
  return {
    command = vim.list_extend(command, args.extra_args or {}),
    cwd = root,
    context = { id = position.id, language = language, root = root },
  }
end

---@param spec table
---@param result {code: integer, output: string}
---@param tree table
---@return table<string, {status: "passed"|"failed"|"skipped", output?: string}>
function M.results(spec, result, tree)
  local file = result.output and io.open(result.output, "rb")
  local output = file and file:read("*a") or ""
  if file then
    file:close()
  end
  local told = runners.told(runners.RUNNERS[spec.context.language], output)
  local results = {}
  for _, position in tree:iter() do
    if position.type == "test" then
      local path = shown(position.path, spec.context.root)
      local status = runners.outcome(told, path, position.names)
      if not status and position.id == spec.context.id then
        status = result.code == 0 and "passed" or "failed"
      end
      -- A runner that could not start reports no tests.
      if not status and result.code ~= 0 and vim.tbl_isempty(told) then
        status = "failed"
      end
      if status then
        results[position.id] = { status = status, output = result.output }
      end
    end
  end
  return results
end

return M
