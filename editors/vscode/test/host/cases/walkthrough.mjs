// What the extension says of itself: the walkthrough, and where it can run.
import assert from "node:assert/strict";

export const cases = {
  "the walkthrough is there, and its links lead somewhere": {
    run: async (w) => {
      await w.command("tandem.walkthrough");
      await w.page.locator(".getting-started-step", { hasText: "Have a server" }).first().waitFor();
      await w.shot("walkthrough");
      const missing = await w.inside.run(async (vscode) => {
        const there = new Set(await vscode.commands.getCommands(true));
        const { walkthroughs, viewsWelcome } = vscode.extensions.getExtension("tandem.tandem").packageJSON.contributes;
        const texts = [...walkthroughs.flatMap(({ steps }) => steps.map(({ description }) => description)), ...viewsWelcome.map(({ contents }) => contents)];
        const named = texts.flatMap((text) => [...text.matchAll(/command:([\w.]+)/g)].map(([, name]) => name));
        return named.length === 0 ? ["no links at all"] : named.filter((name) => !there.has(name));
      });
      assert.deepEqual(missing, []);
    },
  },
  "it runs where the files are, and not without a disk": {
    run: async (w) => {
      const { kind, main, browser, folders, remote } = await w.inside.run((vscode) => {
        const { packageJSON: its, extensionKind } = vscode.extensions.getExtension("tandem.tandem");
        return {
          ...{ kind: extensionKind, main: its.main, browser: its.browser },
          ...{ folders: its.capabilities.virtualWorkspaces.supported, remote: vscode.env.remoteName ?? null },
        };
      });
      // code-server is a remote: the extension runs at its end.
      assert.deepEqual([kind, main, browser, folders], [2, "./dist/extension.js", undefined, false]);
      assert.ok(remote);
    },
  },
};
