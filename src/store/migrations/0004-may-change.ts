/** T-10: a JSON list of patterns; null: none. */
export const mayChange = `ALTER TABLE task ADD COLUMN may_change TEXT;`;
