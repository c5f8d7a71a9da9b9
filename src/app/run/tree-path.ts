import { relative } from "node:path";

/** A path of the workspace as git names it: the workspace need not be the top of the working tree. */
export function treePath(tree: string, root: string): (path: string) => string {
  const above = relative(tree, root);
  return (path) => (above === "" ? path : `${above}/${path}`);
}
