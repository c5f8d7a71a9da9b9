/** Folders that may hold changes and modules, in order of search (D-10). */
export const LAYOUTS: readonly string[] = ["openspec", ".ito", ".spool", ".ralph"];
