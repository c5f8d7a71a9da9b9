/** The system's code of an error: `ENOENT`, `EACCES` …; its message if it has none. */
export function codeOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error) return String(error.code);
  return error instanceof Error ? error.message : String(error);
}
