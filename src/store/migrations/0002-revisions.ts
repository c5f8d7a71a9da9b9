/**
 * Every change through a store raises `revision`; a row that another program inserted has 0. `removed` lists the tasks
 * that were removed through a store: any other task that is missing was deleted without it (W-02).
 */
export const revisions = `
ALTER TABLE task ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
CREATE TABLE removed (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;
