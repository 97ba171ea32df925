// The view of open reviews: files and hunks, each with a checkbox.
import * as vscode from "vscode";
import type { Desk } from "./desk";

export interface Node {
  id: number;
  file?: number;
  hunk?: number;
}

export class ReviewTree implements vscode.TreeDataProvider<Node> {
  constructor(private readonly desk: Desk) {}

  get onDidChangeTreeData(): vscode.Event<void> {
    return this.desk.onDidChangeReviews;
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      return this.desk.all().map(({ id }) => ({ id }));
    }
    const { id, file } = node;
    const files = this.desk.find(id)?.review.files ?? [];
    if (file === undefined) {
      return files.map((_, index) => ({ id, file: index }));
    }
    return node.hunk === undefined
      ? (files[file]?.places.map((_, hunk) => ({ id, file, hunk })) ?? [])
      : [];
  }

  getTreeItem({ id, file, hunk }: Node): vscode.TreeItem {
    const review = this.desk.find(id)?.review;
    const reviewed = file === undefined ? undefined : review?.files[file];
    const { TreeItem, TreeItemCollapsibleState: State } = vscode;
    if (!reviewed) {
      const item = new TreeItem(review?.proposal.title ?? "", State.Expanded);
      item.description = `${review?.count} of ${review?.total} changes`;
      item.iconPath = new vscode.ThemeIcon("git-pull-request");
      item.contextValue = "review";
      return item;
    }
    if (hunk === undefined) {
      const uri = vscode.Uri.parse(reviewed.file.uri);
      const item = new TreeItem(uri, State.Expanded);
      const { action, moved_to } = reviewed.file;
      const where = moved_to === undefined ? "" : ` to ${vscode.workspace.asRelativePath(vscode.Uri.parse(moved_to))}`;
      const more = action === undefined ? "" : `${action}${where} · `;
      item.description = `${more}${reviewed.count} of ${reviewed.taken.length}`;
      item.checkboxState = box(reviewed.count > 0);
      item.command = command("tandem.review.show", id, file);
      item.contextValue = "file";
      return item;
    }
    const item = new TreeItem(reviewed.label(hunk), State.None);
    const place = reviewed.places[hunk];
    item.description = place && `line ${place.oldFrom + 1}`;
    item.checkboxState = box(reviewed.taken[hunk] === true);
    item.command = command("tandem.review.show", id, file, hunk);
    return item;
  }

  register(): vscode.Disposable {
    const view = vscode.window.createTreeView("tandem.review", {
      treeDataProvider: this,
      manageCheckboxStateManually: true,
    });
    const count = () => {
      const value = this.desk.all().length;
      view.badge = value > 0 ? { value, tooltip: `${value} to review` } : undefined;
    };
    return vscode.Disposable.from(
      view,
      this.desk.onDidChangeReviews(count),
      view.onDidChangeCheckboxState(({ items }) => {
        for (const [{ id, file, hunk }, state] of items) {
          const reviewed = this.desk.find(id)?.review.files[file ?? -1];
          const take = state === vscode.TreeItemCheckboxState.Checked;
          if (reviewed && hunk === undefined) {
            reviewed.takeAll(take);
          } else if (reviewed && hunk !== undefined && reviewed.taken[hunk] !== take) {
            reviewed.toggle(hunk);
          }
          this.desk.decided(id);
        }
      }),
    );
  }
}

function box(checked: boolean): vscode.TreeItemCheckboxState {
  const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
  return checked ? Checked : Unchecked;
}

function command(name: string, ...args: unknown[]): vscode.Command {
  return { title: "Show", command: name, arguments: args };
}
