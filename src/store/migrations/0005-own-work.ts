/**
 * T-13: `keeps_work`: its parts do not settle it. `is_group`: its status comes from its children, and nobody is assigned
 * to it. A task with gates is a group only until its children are settled. What was done before stays done.
 */
export const ownWork = `
ALTER TABLE task ADD COLUMN keeps_work INTEGER NOT NULL DEFAULT 0;
DROP INDEX task_scope_queue;
DROP INDEX task_parents;
ALTER TABLE task DROP COLUMN queue;
ALTER TABLE task ADD COLUMN is_group INTEGER GENERATED ALWAYS AS (
  children <> 0 AND keeps_work = 0 AND (gates IS NULL OR n_done + n_dropped <> children)
) VIRTUAL;
ALTER TABLE task ADD COLUMN queue INTEGER GENERATED ALWAYS AS (
  CASE
    WHEN open_blockers <> 0 OR (children <> 0 AND keeps_work = 0 AND (gates IS NULL OR n_done + n_dropped <> children)) THEN NULL
    WHEN status = 'pending' THEN 0
    WHEN status = 'failed' AND retry <> 0 THEN 1
  END
) VIRTUAL;
CREATE INDEX task_scope_queue ON task (scope, queue, priority) WHERE queue IS NOT NULL;
CREATE INDEX task_parents ON task (scope, status) WHERE is_group = 1;
UPDATE task SET own = status WHERE children <> 0 AND gates IS NOT NULL AND n_done + n_dropped = children;
`;
