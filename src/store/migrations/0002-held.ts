/**
 * `revision` grows with every change that is made through a store; a row that somebody else wrote has none. `removed`
 * are the tasks that were taken away through a store: what is missing without it was deleted behind its back (W-02).
 */
export const held = `
ALTER TABLE task ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
CREATE TABLE removed (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;
