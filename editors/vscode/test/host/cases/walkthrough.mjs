// What the extension says of itself: the walkthrough, and where it can run.
import assert from "node:assert/strict";
import { until } from "../host.mjs";

export const cases = {
  "the walkthrough is there, and its links lead somewhere": {
    run: async (w) => {
      await w.command("tandem.walkthrough");
      const step = w.page.locator(".getting-started-step", { hasText: "Install the server" }).first();
      await step.waitFor();
      // What is to be typed stands there, without a click.
      await step.locator(".step-description-container", { hasText: "cargo install --path server/tandem --features full" }).waitFor();
      await step.locator("a, button, .monaco-button").filter({ hasText: "Copy the command" }).first().waitFor();
      await w.shot("walkthrough");
      // Pictures come with the package.
      for (const title of ["See an edit", "Review edits of agents", "Approve what an agent wants"]) {
        const next = w.page.locator(".getting-started-step", { hasText: title }).first();
        await next.click();
        const picture = w.page.locator(".getting-started-media img");
        await until(`the picture of ${title}`, () => picture.evaluate((each) => each.naturalWidth >= 600));
      }
      await w.shot("walkthrough-picture");
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
  "its page has an icon, pictures that load, no link into nowhere, and fits three screens": {
    run: async (w) => {
      await w.command("workbench.extensions.search", "@installed Tandem");
      await w.page.locator(".extension-list-item", { hasText: "A language server for you" }).first().click();
      const icon = w.page.locator(".extension-editor .header img").first();
      await icon.waitFor();
      await until("the icon", () => icon.evaluate((each) => each.naturalWidth >= 128));
      const page = w.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
      await page.locator("h1", { hasText: "Tandem in VS Code" }).waitFor();
      const pictures = page.locator("img");
      await until("the pictures", async () => {
        const widths = await pictures.evaluateAll((all) => all.map((each) => each.naturalWidth));
        return widths.every((width) => width >= 600);
      });
      const links = await page.locator("a[href]").evaluateAll((all) => all.map((each) => each.getAttribute("href")));
      assert.deepEqual(links.filter((href) => !/^(https?:|#)/.test(href)), []);
      await w.shot("extension-page");
      const height = await page.locator("body").evaluate((body) => body.scrollHeight);
      console.log(`      the page: ${height} px high`);
      assert.ok(height <= 3 * 800, `${height} px`);
      // It says who serves JavaScript and TypeScript.
      await page.getByText("JavaScript and TypeScript are served by VS Code's own TypeScript").waitFor();
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
