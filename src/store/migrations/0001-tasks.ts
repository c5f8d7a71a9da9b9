/**
 * `own` is the task's own state; `status` is what it shows. They differ only in a parent, which shows what follows from
 * its children. `open_blockers` counts the open tasks it needs, plus one if its parent has open blockers: 0 means that
 * nothing blocks it, directly or through an ancestor. `queue`: 0 ready, 1 failed and to be retried, null not claimable.
 */
export const tasks = `
CREATE TABLE task (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  -- Checked at the end: a batch may name a parent before its line.
  parent INTEGER REFERENCES task (seq) DEFERRABLE INITIALLY DEFERRED,
  priority INTEGER NOT NULL,
  status TEXT NOT NULL,
  own TEXT NOT NULL CHECK (own IN ('pending', 'in_progress', 'parked', 'done', 'failed', 'dropped')),
  open_blockers INTEGER NOT NULL DEFAULT 0 CHECK (open_blockers >= 0),
  retry INTEGER NOT NULL DEFAULT 0,
  -- The configured limit of attempts that a failure came from; null: failed for good.
  retry_limit INTEGER,
  children INTEGER NOT NULL DEFAULT 0,
  n_failed INTEGER NOT NULL DEFAULT 0,
  n_in_progress INTEGER NOT NULL DEFAULT 0,
  n_done INTEGER NOT NULL DEFAULT 0,
  n_dropped INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  attempt_limit INTEGER,
  fence INTEGER NOT NULL DEFAULT 0,
  lease_host TEXT,
  lease_pid INTEGER,
  lease_start TEXT,
  lease_until INTEGER,
  lease_ms INTEGER,
  lease_run TEXT,
  has_verdict INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  allow_no_change INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL,
  model TEXT,
  tags TEXT,
  acceptance TEXT,
  gates TEXT,
  source_file TEXT,
  source_key TEXT,
  question TEXT,
  reason TEXT,
  summary TEXT,
  description TEXT NOT NULL,
  queue INTEGER GENERATED ALWAYS AS (
    CASE
      WHEN open_blockers <> 0 OR children <> 0 THEN NULL
      WHEN status = 'pending' THEN 0
      WHEN status = 'failed' AND retry <> 0 THEN 1
    END
  ) VIRTUAL
) STRICT;

CREATE INDEX task_scope_queue ON task (scope, queue, priority) WHERE queue IS NOT NULL;
CREATE INDEX task_scope_status ON task (scope, status);
CREATE INDEX task_parents ON task (scope, status) WHERE children > 0;
CREATE INDEX task_parent ON task (parent) WHERE parent IS NOT NULL;
-- Not on the time itself: a heartbeat need not touch it.
CREATE INDEX task_lease ON task (lease_pid) WHERE lease_until IS NOT NULL;

CREATE TABLE dependency (
  blocked INTEGER NOT NULL REFERENCES task (seq) ON DELETE CASCADE,
  blocker INTEGER NOT NULL REFERENCES task (seq) ON DELETE CASCADE,
  PRIMARY KEY (blocked, blocker),
  CHECK (blocked <> blocker)
) STRICT, WITHOUT ROWID;

CREATE INDEX dependency_blocker ON dependency (blocker);

CREATE TABLE attempt (
  task INTEGER NOT NULL REFERENCES task (seq) ON DELETE CASCADE,
  fence INTEGER NOT NULL,
  run TEXT,
  iteration INTEGER,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT,
  counted INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  cost_usd REAL,
  tokens INTEGER,
  session TEXT,
  verdict TEXT,
  recorded_at INTEGER,
  details TEXT,
  PRIMARY KEY (task, fence)
) STRICT, WITHOUT ROWID;

CREATE TABLE log (
  task INTEGER NOT NULL REFERENCES task (seq) ON DELETE CASCADE,
  entry INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (task, entry)
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Processes that have written and not yet closed: one of them dead means an unclean end.
CREATE TABLE opening (
  handle TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
