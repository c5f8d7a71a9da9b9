import { posix } from "node:path";

const PRODUCT =
  /(?:^|\/)(?:src|lib|app|dist|build|out|cmd|bin|public|server|client|examples?)\/|(?:^|\/)(?:index|main|app|server|cli|start|hello|__main__|manage)\.[^/]+$/i;

/** Whether a path is the product by its name below the folder in which the command runs: a package may be named `app`. */
export const isProduct = (folder: string, path: string): boolean => PRODUCT.test(posix.relative(folder, path));
