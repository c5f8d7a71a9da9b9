/** A name of the user's as part of a path: ids are their words, and files have names everywhere. */
export const fileName = (id: string): string =>
  id
    .replaceAll(/[^A-Za-z0-9._-]/g, "_")
    .replace(/^\.+/, "_")
    .slice(0, 64) || "_";
