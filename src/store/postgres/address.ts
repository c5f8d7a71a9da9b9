/** An address as it may be shown: host, port and database, and nothing that logs in. */
export function safeName(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `${host || searchParams.get("host") || "localhost"}${pathname}`;
  } catch {
    return "this address";
  }
}
