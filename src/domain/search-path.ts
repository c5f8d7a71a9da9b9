/**
 * B-02: a PATH without entries that would find programs in the repository that a command is typed in: relative and empty
 * ones, and folders of packages, which npx and scripts of npm put first. A clone may bring a `node_modules` along.
 */
export const safeSearchPath = (path: string): string =>
  path
    .split(":")
    .filter((entry) => entry.startsWith("/") && !entry.includes("/node_modules/"))
    .join(":");
