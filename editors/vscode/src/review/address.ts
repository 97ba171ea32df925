// URIs of the documents that show a review.

/** `patch`: removed and added lines in one text; `before` and `after`: the two sides of a diff. */
export type Side = "patch" | "before" | "after";

export const SCHEME = "tandem-review";

export interface Address {
  review: number;
  side: Side;
  file: number;
}

/** The last part names the tab and ends like the file's name, which determines icon and language. */
export function pathOf({ review, side, file }: Address, uri: string): string {
  const name = decodeURIComponent(uri.split("/").at(-1) ?? "file");
  return `/${review}/${side}/${file}/Review of ${name}`;
}

export function addressOf(path: string): Address | undefined {
  const [, review, side, file] = path.split("/");
  if (side !== "patch" && side !== "before" && side !== "after") {
    return undefined;
  }
  return { review: Number(review), side, file: Number(file) };
}
