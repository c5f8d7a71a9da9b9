/** B-02: a PATH without relative and empty entries, which would find programs in the repository that a command is typed in. */
export const absoluteOnly = (path: string): string =>
  path
    .split(":")
    .filter((entry) => entry.startsWith("/"))
    .join(":");
