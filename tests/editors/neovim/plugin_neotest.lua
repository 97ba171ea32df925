-- The adapter for neotest. NEOTEST ITSELF IS ON NO PACKAGE REGISTRY: what of it is used stands here as
-- a copy of its interface, a tree made of lists and a coroutine that waits for a callback.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

local Tree = {}
Tree.__index = Tree

function Tree.from_list(list, key)
  local tree = setmetatable({ own = list[1], inner = {} }, Tree)
  assert(key(list[1]))
  for index = 2, #list do
    table.insert(tree.inner, Tree.from_list(list[index], key))
  end
  return tree
end

function Tree:data()
  return self.own
end

function Tree:iter()
  local all = {}
  local function gather(tree)
    table.insert(all, tree.own)
    for _, one in ipairs(tree.inner) do
      gather(one)
    end
  end
  gather(self)
  return ipairs(all)
end

function Tree:find(name)
  if self.own.name == name then
    return self
  end
  for _, one in ipairs(self.inner) do
    local found = one:find(name)
    if found then
      return found
    end
  end
end

package.preload["neotest.types"] = function()
  return { Tree = Tree }
end
package.preload["nio"] = function()
  return {
    wrap = function(action)
      return function()
        local routine = coroutine.running()
        local answer
        action(function(given)
          answer = given
          if coroutine.status(routine) == "suspended" then
            coroutine.resume(routine)
          end
        end)
        if answer == nil then
          coroutine.yield()
        end
        return answer
      end
    end,
  }
end

local PYTHON = [[
import pytest


class TestShop:
    def test_good(self):
        assert True

    def test_bad(self):
        assert False


def test_alone():
    assert True


@pytest.mark.skip
def test_left_out():
    pass
]]

-- pytest's output for these tests.
local SAID = [[
test_shop.py::TestShop::test_good PASSED                                 [ 25%]
test_shop.py::TestShop::test_bad FAILED                                  [ 50%]
test_shop.py::test_alone PASSED                                          [ 75%]
test_shop.py::test_left_out SKIPPED (unconditional skip)                 [100%]
=========================== short test summary info ============================
PASSED test_shop.py::TestShop::test_good
PASSED test_shop.py::test_alone
FAILED test_shop.py::TestShop::test_bad - assert False
SKIPPED [1] test_shop.py:15: unconditional skip
1 failed, 2 passed, 1 skipped in 0.01s
]]

local function discovered(adapter, path)
  local tree
  coroutine.wrap(function()
    tree = adapter.discover_positions(path)
  end)()
  return scenario.wait("the tests are discovered", function()
    return tree
  end)
end

local function statuses(results)
  local found = {}
  for id, result in pairs(results) do
    found[id:match("[^:]*$")] = result.status
  end
  return found
end

scenario.run(function()
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  local python = scenario.write("test_shop.py", PYTHON)
  local rust =
    scenario.write("src/lib.rs", "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {}\n}\n")
  scenario.write("Cargo.toml", '[package]\nname = "a"\nversion = "0.1.0"\n')
  local go = scenario.write(
    "sum/sum_test.go",
    'package sum\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {}\n'
  )
  plugin.load()
  plugin.open("test_shop.py")
  local adapter = require("tandem.neotest")

  scenario.equal(adapter.root(scenario.root .. "/sum"), scenario.root, "the workspace")
  assert(not adapter.filter_dir("node_modules") and adapter.filter_dir("tests"))
  assert(adapter.is_test_file(python) and adapter.is_test_file(go) and adapter.is_test_file(rust))
  assert(not adapter.is_test_file(scenario.write("shop.py", "x = 1\n")))
  assert(not adapter.is_test_file(scenario.write("src/main.rs", "fn main() {}\n")))

  local tree = discovered(adapter, python)
  local names = {}
  for _, position in tree:iter() do
    table.insert(names, position.type .. " " .. position.name)
  end
  scenario.equal(names, {
    "file test_shop.py",
    "namespace TestShop",
    "test test_good",
    "test test_bad",
    "test test_alone",
    "test test_left_out",
  }, "the tree")
  local bad = tree:find("test_bad")
  scenario.equal(bad:data().range[1], 7, "its line")

  local spec = adapter.build_spec({ tree = bad })
  local id = "test_shop.py::TestShop::test_bad"
  scenario.equal(spec.command, { "python3", "-m", "pytest", "-rA", "-v", id }, "one test")
  scenario.equal(spec.cwd, scenario.root, "where it runs")
  local whole = adapter.build_spec({ tree = tree, extra_args = { "-x" } })
  scenario.equal(
    whole.command,
    { "python3", "-m", "pytest", "-rA", "-v", "test_shop.py", "-x" },
    "a file"
  )

  local output = scenario.write("output.txt", SAID)
  local results = adapter.results(whole, { code = 1, output = output }, tree)
  local expected = {
    test_good = "passed",
    test_bad = "failed",
    test_alone = "passed",
    test_left_out = "skipped",
  }
  scenario.equal(statuses(results), expected, "what the runner told")
  -- With parameters it is one test, which fails where one of them does.
  local each = "test_shop.py::test_alone[a] PASSED\ntest_shop.py::test_alone[a b] FAILED\n"
    .. "PASSED test_shop.py::test_alone[a]\nFAILED test_shop.py::test_alone[a b] - assert False\n"
  results = adapter.results(
    whole,
    { code = 1, output = scenario.write("each.txt", each) },
    tree:find("test_alone")
  )
  scenario.equal(statuses(results), { test_alone = "failed" }, "parameters")
  results = adapter.results(spec, { code = 0, output = scenario.write("none.txt", "") }, bad)
  scenario.equal(statuses(results), { test_bad = "passed" }, "a test alone, by its exit code")
  results =
    adapter.results(whole, { code = 2, output = scenario.write("none.txt", "no pytest") }, tree)
  scenario.equal(statuses(results).test_good, "failed", "a runner that could not begin")

  local in_go = discovered(adapter, go)
  spec = adapter.build_spec({ tree = in_go:find("TestSum") })
  scenario.equal(spec.command, { "go", "test", "-v", "-run", "^TestSum$", "./sum" }, "Go")
  output = scenario.write("output.txt", "=== RUN   TestSum\n--- FAIL: TestSum (0.00s)\nFAIL\n")
  results = adapter.results(spec, { code = 1, output = output }, in_go)
  scenario.equal(statuses(results), { TestSum = "failed" }, "what Go told")

  local folder = { type = "dir", name = "sum", path = scenario.root .. "/sum" }
  spec = adapter.build_spec({ tree = Tree.from_list({ folder, { in_go:data() } }, tostring) })
  scenario.equal(spec.command, { "go", "test", "-v", "./sum/..." }, "a folder")

  local in_rust = discovered(adapter, rust)
  spec = adapter.build_spec({ tree = in_rust:find("adds") })
  scenario.equal(spec.command[1] .. " " .. spec.command[4], "cargo tests::adds", "Rust")
  output = scenario.write("output.txt", "running 1 test\ntest tests::adds ... ok\n")
  results = adapter.results(spec, { code = 0, output = output }, in_rust)
  scenario.equal(statuses(results), { adds = "passed" }, "what cargo told")

  -- nvim-dap starts a test that is debugged.
  package.preload.dap = function()
    return {}
  end
  spec = adapter.build_spec({ tree = bad, strategy = "dap" })
  scenario.equal(spec.strategy.type, "tandem", "by the adapter")
  scenario.equal(spec.strategy.test, id, "the test")
  assert(require("dap").adapters.tandem)
  scenario.equal(
    adapter.build_spec({ tree = tree, strategy = "dap" }),
    nil,
    "a file is not debugged"
  )
end)
