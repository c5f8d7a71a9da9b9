/**
 * They change counts by a difference under the lock of the row, so that changes at once add up, and `held` by its value,
 * so that it may be set twice. They go upwards and downwards in a loop: a tree may be as deep as it has tasks.
 */
export const triggers = `
-- The same under their names of the first schema.
DROP FUNCTION IF EXISTS ralphctl.task_changed(), ralphctl.dependency_changed() CASCADE;
DROP FUNCTION IF EXISTS ralphctl.pass_down(integer, integer[]), ralphctl.count_needs(integer, integer[], integer[]);
DROP TYPE IF EXISTS ralphctl.move CASCADE;

-- What a row has from itself. As expressions of the columns they were planned anew for every statement, which took as long
-- as all the rest of a claim.
ALTER TABLE ralphctl.task ALTER is_group DROP EXPRESSION, ALTER status DROP EXPRESSION, ALTER queue DROP EXPRESSION;

-- So are checks of the table, read anew from their text.
ALTER TABLE ralphctl.task DROP CONSTRAINT task_own_check, DROP CONSTRAINT task_open_needs_check;

CREATE FUNCTION ralphctl.derive() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  settled integer := NEW.n_done + NEW.n_dropped;
BEGIN
  IF NEW.open_needs < 0 OR NEW.own NOT IN ('pending', 'in_progress', 'parked', 'done', 'failed', 'dropped') THEN
    RAISE check_violation USING MESSAGE = format('task %s cannot be %s with %s open needs', NEW.id, NEW.own, NEW.open_needs);
  END IF;
  IF NEW.children <> 0 AND NEW.keeps_work = 0 AND (NEW.gates IS NULL OR settled <> NEW.children) THEN
    NEW.is_group := 1;
    NEW.queue := NULL;
    NEW.status := CASE
      WHEN NEW.n_failed > 0 THEN 'failed'
      WHEN settled = NEW.children THEN CASE WHEN NEW.n_done > 0 THEN 'done' ELSE 'dropped' END
      WHEN NEW.n_in_progress > 0 THEN 'in_progress'
      ELSE 'pending'
    END;
  ELSE
    NEW.is_group := 0;
    NEW.status := NEW.own;
    NEW.queue := CASE
      WHEN NEW.open_needs + NEW.held > 0 THEN NULL
      WHEN NEW.own = 'pending' THEN 0
      WHEN NEW.own = 'failed' AND NEW.retry <> 0 THEN 1
    END;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER task_derived BEFORE INSERT OR UPDATE ON ralphctl.task FOR EACH ROW EXECUTE FUNCTION ralphctl.derive();

-- A task whose parent or status changed; without what was before it is new, without what is now it is gone.
CREATE TYPE ralphctl.move AS (seq integer, old_parent integer, was text, parent integer, status text);

-- These tasks became blocked or free, and with them their children, and so on downwards.
CREATE FUNCTION ralphctl.pass_down(repo integer, parents integer[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  any_free boolean;
BEGIN
  WHILE cardinality(parents) > 0 LOOP
    WITH changed AS (
      UPDATE ralphctl.task AS t SET held = (p.open_needs + p.held > 0)::integer FROM ralphctl.task AS p
      WHERE p.repository = repo AND p.seq = ANY (parents) AND t.repository = repo AND t.parent = p.seq
        AND t.held <> (p.open_needs + p.held > 0)::integer
      RETURNING t.seq, t.children, t.open_needs, t.queue
    )
    SELECT array_agg(seq) FILTER (WHERE children > 0 AND open_needs = 0), bool_or(queue IS NOT NULL)
    INTO parents, any_free FROM changed;
    IF any_free THEN PERFORM ralphctl.wake(repo, 'tasks'); END IF;
  END LOOP;
END $$;

-- Open needs more or less, of each task by its own number.
-- Sorted by itself: a claim tells the planner to walk along an index instead, which here has every task of the repository.
CREATE FUNCTION ralphctl.count_needs(repo integer, tasks integer[], changes integer[]) RETURNS void LANGUAGE plpgsql
SET enable_sort = on AS $$
DECLARE
  flipped integer[];
  any_free boolean;
BEGIN
  WITH delta AS (SELECT * FROM unnest(tasks, changes) AS one (seq, n)),
  -- In one order, so that two who settle at once wait for each other and not in a circle.
  locked AS MATERIALIZED (
    SELECT t.seq FROM ralphctl.task AS t WHERE t.repository = repo AND t.seq = ANY (tasks) ORDER BY t.seq FOR NO KEY UPDATE
  ),
  changed AS (
    UPDATE ralphctl.task AS t SET open_needs = t.open_needs + delta.n FROM delta JOIN locked USING (seq)
    WHERE t.repository = repo AND t.seq = delta.seq
    RETURNING t.seq, t.queue, t.children > 0 AND (t.open_needs - delta.n + t.held > 0) <> (t.open_needs + t.held > 0) AS flips
  )
  SELECT array_agg(seq) FILTER (WHERE flips), bool_or(queue IS NOT NULL) INTO flipped, any_free FROM changed;
  IF any_free THEN PERFORM ralphctl.wake(repo, 'tasks'); END IF;
  PERFORM ralphctl.pass_down(repo, flipped);
END $$;

-- What follows from new states and parents: for those that need these tasks, for their parents, and so on upwards.
-- Most tasks have no parent, and most changes settle nothing: what nothing follows from is not asked for.
CREATE FUNCTION ralphctl.follow(repo integer, moves ralphctl.move[], any_settles boolean, any_parent boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  blocked integer[];
  changes integer[];
  any_free boolean;
BEGIN
  WHILE cardinality(moves) > 0 LOOP
    IF any_settles THEN
      SELECT array_agg(one.blocked), array_agg(one.n) INTO blocked, changes FROM (
        SELECT d.blocked, sum(CASE WHEN m.status IN ('done', 'dropped') THEN -1 ELSE 1 END)::integer AS n
        FROM unnest(moves) AS m JOIN ralphctl.dependency AS d ON d.repository = repo AND d.blocker = m.seq
        WHERE (m.was IN ('done', 'dropped')) <> (m.status IN ('done', 'dropped')) GROUP BY d.blocked
      ) AS one;
      IF cardinality(blocked) > 0 THEN PERFORM ralphctl.count_needs(repo, blocked, changes); END IF;
    END IF;
    EXIT WHEN NOT any_parent;
    WITH delta AS (
      SELECT parent, sum(n)::integer AS children, coalesce(sum(n) FILTER (WHERE status = 'failed'), 0)::integer AS failed,
        coalesce(sum(n) FILTER (WHERE status = 'in_progress'), 0)::integer AS active,
        coalesce(sum(n) FILTER (WHERE status = 'done'), 0)::integer AS done,
        coalesce(sum(n) FILTER (WHERE status = 'dropped'), 0)::integer AS dropped
      FROM (
        SELECT old_parent AS parent, was AS status, -1 AS n FROM unnest(moves)
        UNION ALL SELECT parent, status, 1 FROM unnest(moves)
      ) AS one WHERE parent IS NOT NULL GROUP BY parent
    ), changed AS (
      UPDATE ralphctl.task AS p SET children = p.children + delta.children, n_failed = p.n_failed + delta.failed,
        n_in_progress = p.n_in_progress + delta.active, n_done = p.n_done + delta.done,
        n_dropped = p.n_dropped + delta.dropped
      FROM delta WHERE p.repository = repo AND p.seq = delta.parent
      RETURNING p.seq, p.parent, p.status, p.queue, ralphctl.status_of(
        p.own, p.keeps_work, p.gates, p.children - delta.children, p.n_failed - delta.failed,
        p.n_in_progress - delta.active, p.n_done - delta.done, p.n_dropped - delta.dropped) AS was
    )
    SELECT array_agg(ROW (seq, parent, was, parent, status)::ralphctl.move),
      bool_or((was IN ('done', 'dropped')) <> (status IN ('done', 'dropped'))), bool_or(parent IS NOT NULL),
      bool_or(queue IS NOT NULL)
    INTO moves, any_settles, any_parent, any_free FROM changed WHERE was <> status;
    IF any_free THEN PERFORM ralphctl.wake(repo, 'tasks'); END IF;
  END LOOP;
END $$;

-- Tasks that got another parent, or none, are held by what holds that one.
CREATE FUNCTION ralphctl.hold(repo integer, moves ralphctl.move[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  flipped integer[];
BEGIN
  WITH wanted AS (
    SELECT m.seq, coalesce((
      SELECT (p.open_needs + p.held > 0)::integer FROM ralphctl.task AS p WHERE p.repository = repo AND p.seq = m.parent
    ), 0) AS held
    FROM unnest(moves) AS m WHERE m.parent IS DISTINCT FROM m.old_parent
  ), changed AS (
    UPDATE ralphctl.task AS t SET held = wanted.held FROM wanted
    WHERE t.repository = repo AND t.seq = wanted.seq AND t.held <> wanted.held RETURNING t.seq, t.children, t.open_needs
  )
  SELECT array_agg(seq) INTO flipped FROM changed WHERE children > 0 AND open_needs = 0;
  PERFORM ralphctl.pass_down(repo, flipped);
END $$;

CREATE FUNCTION ralphctl.task_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  repo integer;
  moves ralphctl.move[];
  any_settles boolean;
  any_parent boolean;
  any_moved boolean;
  any_free boolean;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    SELECT max(n.repository), array_agg(ROW (n.seq, o.parent, o.status, n.parent, n.status)::ralphctl.move),
      bool_or((o.status IN ('done', 'dropped')) <> (n.status IN ('done', 'dropped'))),
      bool_or(o.parent IS NOT NULL OR n.parent IS NOT NULL), bool_or(o.parent IS DISTINCT FROM n.parent),
      bool_or(n.queue IS NOT NULL)
    INTO repo, moves, any_settles, any_parent, any_moved, any_free
    FROM old_rows AS o JOIN new_rows AS n USING (repository, seq)
    WHERE o.status <> n.status OR o.parent IS DISTINCT FROM n.parent;
  ELSE
    SELECT max(repository), array_agg(ROW (seq, parent, status, NULL, NULL)::ralphctl.move), false, true, false
    INTO repo, moves, any_settles, any_parent, any_moved FROM old_rows WHERE parent IS NOT NULL;
  END IF;
  IF moves IS NULL THEN RETURN NULL; END IF;
  IF any_free THEN PERFORM ralphctl.wake(repo, 'tasks'); END IF;
  IF any_settles OR any_parent THEN PERFORM ralphctl.follow(repo, moves, any_settles, any_parent); END IF;
  IF any_moved THEN PERFORM ralphctl.hold(repo, moves); END IF;
  RETURN NULL;
END $$;

-- What the functions above change must not come here again: they follow it themselves. Tasks are inserted without a
-- parent and without needs, so nothing follows from that.
CREATE TRIGGER task_updated AFTER UPDATE ON ralphctl.task REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0 AND current_setting('ralphctl.follows', true) IS DISTINCT FROM 'done')
EXECUTE FUNCTION ralphctl.task_changed();
CREATE TRIGGER task_deleted AFTER DELETE ON ralphctl.task REFERENCING OLD TABLE AS old_rows
FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ralphctl.task_changed();

CREATE FUNCTION ralphctl.task_added() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  repo integer;
BEGIN
  SELECT max(repository) INTO repo FROM new_rows WHERE queue IS NOT NULL;
  IF repo IS NOT NULL THEN PERFORM ralphctl.wake(repo, 'tasks'); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER task_inserted AFTER INSERT ON ralphctl.task REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION ralphctl.task_added();

CREATE FUNCTION ralphctl.dependency_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  repo integer;
  tasks integer[];
  changes integer[];
BEGIN
  SELECT max(one.repository), array_agg(one.blocked), array_agg(one.n) INTO repo, tasks, changes FROM (
    SELECT e.repository, e.blocked, (count(*) * CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END)::integer AS n
    FROM edges AS e JOIN ralphctl.task AS b ON b.repository = e.repository AND b.seq = e.blocker
    WHERE b.status NOT IN ('done', 'dropped') GROUP BY e.repository, e.blocked
  ) AS one;
  IF tasks IS NOT NULL THEN PERFORM ralphctl.count_needs(repo, tasks, changes); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER dependency_inserted AFTER INSERT ON ralphctl.dependency REFERENCING NEW TABLE AS edges
FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ralphctl.dependency_changed();
CREATE TRIGGER dependency_deleted AFTER DELETE ON ralphctl.dependency REFERENCING OLD TABLE AS edges
FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ralphctl.dependency_changed();
`;
