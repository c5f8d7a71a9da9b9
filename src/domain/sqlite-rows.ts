/** The rows of some tables, by name; a table that does not exist has none. */
export type SqliteRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
