/** The first of the two numbers of a lock; the second is the repository. Other programs may lock numbers, too. */
export const LOCK_CLASS = 1_918_985_067;

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/**
 * What happens to every task, each in one call: a server plans statements inside a function once for each connection,
 * also behind a pooler. They do by themselves what follows from the one row that they change, and the trigger for
 * statements stays out of it (`ralphctl.follows`, set in the body: in the head of a function only a superuser may name a
 * parameter that the server does not know). The planner is told to walk along the queue: it may have planned when there
 * were ten tasks. They answer with one text, [row, id of its parent, ids of its needs]: half of the time of a claim would
 * go into forty columns. Each statement less counts, and so does each column of those in variables.
 */
const PLANNED = `SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off`;

// An assignment is an expression, which takes a third of what a statement takes.
const BEGIN_FOLLOWING = "done := set_config('ralphctl.follows', 'done', true);";
const END_FOLLOWING = "done := set_config('ralphctl.follows', '', true);";

/**
 * A trigger gives them their values. Without their names, the server takes the indexes on them for unchanged, and looks for
 * old versions to remove from these each time a page of them is full, which took a fifth of a claim and its settlement.
 */
const DERIVED = "status = status, queue = queue";

const ORDER = "ORDER BY queue, priority, seq LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED";

const READY = "SELECT seq, own INTO found_seq, was FROM ralphctl.task WHERE repository = repo AND queue IS NOT NULL";

/** An expression, as a statement of its own takes longer than the lock. */
const TAKE_SHARE = `done := pg_advisory_xact_lock_shared(${LOCK_CLASS}, repo);`;

/** Of the row `t`, as one text. */
const ANSWER = `format('[%s,%s,%s]', row_to_json(t), coalesce((
      SELECT to_json(p.id)::text FROM ralphctl.task AS p WHERE p.repository = t.repository AND p.seq = t.parent
    ), 'null'), array_to_json(ARRAY(
      SELECT b.id FROM ralphctl.dependency AS d JOIN ralphctl.task AS b ON b.repository = d.repository AND b.seq = d.blocker
      WHERE d.repository = t.repository AND d.blocked = t.seq ORDER BY d.blocker
    )))`;

export const functions = `
-- Edits have it alone, claims and settlements share it. It ends with the transaction, so a pooler does not lose it.
CREATE FUNCTION ralphctl.share(repo integer) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock_shared(${LOCK_CLASS}, repo)
$$;

-- Takes the next task. One that another is just claiming, or changing, is skipped and not waited for; the conditions are
-- looked at again once its row is locked.
CREATE FUNCTION ralphctl.claim(
  repo integer, by_host text, by_pid bigint, by_start text, ms bigint, of_run text, of_iteration bigint,
  in_scopes text[], in_ids text[], is_anyway boolean, moment bigint
) RETURNS text LANGUAGE plpgsql ${PLANNED} AS $$
#variable_conflict use_column
DECLARE
  found_seq integer;
  its_parent integer;
  was text;
  now_is text;
  its_fence bigint;
  answer text;
  done text;
BEGIN
  ${TAKE_SHARE}
  IF is_anyway THEN
    SELECT seq, own INTO found_seq, was FROM ralphctl.task WHERE repository = repo AND is_group = 0 AND own = 'pending'
      AND id = ANY (in_ids) AND (in_scopes IS NULL OR scope = ANY (in_scopes)) ORDER BY seq LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
  ELSIF in_ids IS NOT NULL THEN
    ${READY} AND id = ANY (in_ids) AND (in_scopes IS NULL OR scope = ANY (in_scopes)) ${ORDER};
  ELSIF in_scopes IS NULL THEN
    ${READY} ${ORDER};
  ELSIF cardinality(in_scopes) = 1 THEN
    ${READY} AND scope = in_scopes[1] ${ORDER};
  ELSE
    ${READY} AND scope = ANY (in_scopes) ${ORDER};
  END IF;
  IF found_seq IS NULL THEN RETURN NULL; END IF;
  moment := coalesce(moment, ${NOW});
  ${BEGIN_FOLLOWING}
  UPDATE ralphctl.task AS t SET own = 'in_progress', fence = fence + 1, lease_host = by_host, lease_pid = by_pid,
    lease_start = by_start, lease_until = moment + ms, lease_ms = ms, lease_run = of_run, started_at = moment,
    updated_at = moment, revision = revision + 1, ${DERIVED}
  WHERE repository = repo AND seq = found_seq RETURNING fence, parent, status, ${ANSWER}
  INTO its_fence, its_parent, now_is, answer;
  INSERT INTO ralphctl.attempt (repository, task, fence, run, iteration, host, pid, start, started_at)
  VALUES (repo, found_seq, its_fence, of_run, of_iteration, by_host, by_pid, by_start, moment);
  IF its_parent IS NOT NULL THEN
    PERFORM ralphctl.follow(repo, ARRAY[ROW (found_seq, its_parent, was, its_parent, now_is)::ralphctl.move], false, true);
  END IF;
  ${END_FOLLOWING}
  RETURN answer;
END $$;

-- The new state of a task, the end of lease and attempt, the log. Nothing if the row is not the one that was read. Whoever
-- has all of the row is told only what follows.
CREATE FUNCTION ralphctl.enter(
  repo integer, of_seq integer, of_revision bigint, of_fence bigint, was text, is_known boolean, to_own text, to_attempts bigint, to_retry integer,
  to_reason text, to_question text, to_summary text, to_description text, has_ended integer, to_limit bigint,
  log_by text, log_kind text, log_text text, its_outcome text, its_count integer, its_reason text,
  its_cost double precision, its_tokens bigint, its_session text, its_details text, moment bigint
) RETURNS text LANGUAGE plpgsql ${PLANNED} AS $$
#variable_conflict use_column
DECLARE
  its_parent integer;
  now_is text;
  its_group integer;
  its_queue integer;
  answer text;
  done text;
  settles boolean;
BEGIN
  ${TAKE_SHARE}
  moment := coalesce(moment, ${NOW});
  ${BEGIN_FOLLOWING}
  UPDATE ralphctl.task SET own = to_own, attempts = to_attempts, retry = to_retry, reason = to_reason,
    question = to_question, summary = to_summary, description = coalesce(to_description, description),
    ended_at = CASE WHEN has_ended = 1 THEN moment ELSE ended_at END, updated_at = moment, retry_limit = to_limit,
    lease_host = NULL, lease_pid = NULL, lease_start = NULL, lease_until = NULL, lease_ms = NULL, lease_run = NULL,
    has_verdict = 0, revision = revision + 1, ${DERIVED}
  WHERE repository = repo AND seq = of_seq AND revision = of_revision AND fence = of_fence AND status = was
  RETURNING parent, status, is_group, queue INTO its_parent, now_is, its_group, its_queue;
  IF NOT FOUND THEN
    ${END_FOLLOWING}
    RETURN NULL;
  END IF;
  UPDATE ralphctl.attempt SET ended_at = moment, outcome = its_outcome, counted = its_count, reason = its_reason,
    cost_usd = its_cost, tokens = its_tokens, session = its_session, details = its_details
  WHERE repository = repo AND task = of_seq AND fence = of_fence AND ended_at IS NULL;
  INSERT INTO ralphctl.log (repository, task, at, actor, kind, text)
  VALUES (repo, of_seq, moment, log_by, log_kind, log_text);
  settles := (was IN ('done', 'dropped')) <> (now_is IN ('done', 'dropped'))
    AND EXISTS (SELECT FROM ralphctl.dependency WHERE repository = repo AND blocker = of_seq);
  IF was <> now_is AND (settles OR its_parent IS NOT NULL) THEN
    PERFORM ralphctl.follow(
      repo, ARRAY[ROW (of_seq, its_parent, was, its_parent, now_is)::ralphctl.move], settles, its_parent IS NOT NULL);
  END IF;
  ${END_FOLLOWING}
  IF its_queue IS NOT NULL THEN PERFORM ralphctl.wake(repo, 'tasks'); END IF;
  IF is_known THEN
    RETURN format('{"updated_at":%s,"status":"%s","is_group":%s,"queue":%s}', moment, now_is, its_group,
      coalesce(its_queue::text, 'null'));
  END IF;
  SELECT ${ANSWER} INTO answer FROM ralphctl.task AS t WHERE repository = repo AND seq = of_seq;
  RETURN answer;
END $$;

-- Their rows are written by those above, which have the row of the task: to look for it again each time is much of the
-- cost of a claim. So they go with their task by hand.
ALTER TABLE ralphctl.attempt DROP CONSTRAINT attempt_repository_task_fkey;
ALTER TABLE ralphctl.log DROP CONSTRAINT log_repository_task_fkey;

CREATE FUNCTION ralphctl.forget_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM ralphctl.attempt AS a USING old_rows AS o WHERE a.repository = o.repository AND a.task = o.seq;
  DELETE FROM ralphctl.log AS l USING old_rows AS o WHERE l.repository = o.repository AND l.task = o.seq;
  RETURN NULL;
END $$;
CREATE TRIGGER task_forgotten AFTER DELETE ON ralphctl.task REFERENCING OLD TABLE AS old_rows
FOR EACH STATEMENT EXECUTE FUNCTION ralphctl.forget_task();
`;
