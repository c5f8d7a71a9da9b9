/** Where changes and modules are looked for in a workspace, in this order (D-10). */
export const LAYOUTS: readonly string[] = ["openspec", ".ito", ".spool", ".ralph"];
