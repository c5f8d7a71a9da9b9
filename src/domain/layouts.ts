/** Folders that may hold changes and modules, in order of search (D-10). */
export const LAYOUTS: readonly string[] = ["openspec", ".ito", ".spool", ".ralph", ".specify"];

/** The layout of spec-kit: its features lie in `specs/`, beside its own folder. */
export const SPEC_KIT = ".specify";
export const SPEC_KIT_FEATURES = "specs";
