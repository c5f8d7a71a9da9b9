const links = (table: string): string => `
  (SELECT id FROM task AS p WHERE p.seq = ${table}.parent) AS parent_id,
  (SELECT json_group_array(id) FROM (
     SELECT b.id FROM dependency AS d JOIN task AS b ON b.seq = d.blocker WHERE d.blocked = ${table}.seq ORDER BY d.blocker
   )) AS needs`;

/** All that `toTask` reads. The caller names the table `t`. */
export const TASK_COLUMNS = `t.*, ${links("t")}`;

/** The same after RETURNING, where a table has its own name only. */
export const RETURNED_COLUMNS = `*, ${links("task")}`;
