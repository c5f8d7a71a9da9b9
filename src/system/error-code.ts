/** What the operating system called an error: `ENOENT`, `EACCES` …; its message where it has no name. */
export function codeOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error) return String(error.code);
  return error instanceof Error ? error.message : String(error);
}
