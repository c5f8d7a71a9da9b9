import { fleetMessages, fleetTables } from "./fleet-schema.ts";
import { functions } from "./functions.ts";
import { triggers } from "./triggers.ts";

/** All that ralphctl has in a database is in this schema; statements name it, so no session needs a setting. */
export const SCHEMA = "ralphctl";

/**
 * `own` is the task's own state; `status` is what it shows: in a group, what follows from its children. The database
 * keeps what follows by itself: `status`, `is_group` and `queue` are made from their row, and triggers keep what a row has
 * of others: the states of its children, its open needs, and whether its parent is blocked (`held`).
 */
const tasks = `
CREATE TABLE ralphctl.repository (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text COLLATE "C" NOT NULL UNIQUE,
  last_seq integer NOT NULL DEFAULT 0
);

CREATE FUNCTION ralphctl.is_group(keeps_work integer, gates text, children integer, settled integer) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT children <> 0 AND keeps_work = 0 AND (gates IS NULL OR settled <> children)
$$;

CREATE FUNCTION ralphctl.status_of(
  own text, keeps_work integer, gates text, children integer, failed integer, active integer, done integer, dropped integer
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN NOT ralphctl.is_group(keeps_work, gates, children, done + dropped) THEN own
    WHEN failed > 0 THEN 'failed'
    WHEN done + dropped = children THEN CASE WHEN done > 0 THEN 'done' ELSE 'dropped' END
    WHEN active > 0 THEN 'in_progress'
    ELSE 'pending'
  END
$$;

CREATE TABLE ralphctl.task (
  repository integer NOT NULL REFERENCES ralphctl.repository,
  seq integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  parent integer,
  priority bigint NOT NULL,
  own text COLLATE "C" NOT NULL CHECK (own IN ('pending', 'in_progress', 'parked', 'done', 'failed', 'dropped')),
  open_needs integer NOT NULL DEFAULT 0 CHECK (open_needs >= 0),
  held integer NOT NULL DEFAULT 0,
  retry integer NOT NULL DEFAULT 0,
  retry_limit bigint,
  children integer NOT NULL DEFAULT 0,
  n_failed integer NOT NULL DEFAULT 0,
  n_in_progress integer NOT NULL DEFAULT 0,
  n_done integer NOT NULL DEFAULT 0,
  n_dropped integer NOT NULL DEFAULT 0,
  attempts bigint NOT NULL DEFAULT 0,
  attempt_limit bigint,
  fence bigint NOT NULL DEFAULT 0,
  lease_host text COLLATE "C",
  lease_pid bigint,
  lease_start text COLLATE "C",
  lease_until bigint,
  lease_ms bigint,
  lease_run text COLLATE "C",
  has_verdict integer NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  revision bigint NOT NULL,
  allow_no_change integer NOT NULL DEFAULT 0,
  keeps_work integer NOT NULL DEFAULT 0,
  may_change text,
  title text COLLATE "C" NOT NULL,
  model text,
  tags text,
  acceptance text,
  gates text,
  source_file text,
  source_key text,
  question text,
  reason text,
  summary text,
  description text COLLATE "C" NOT NULL,
  is_group integer NOT NULL GENERATED ALWAYS AS (
    CASE WHEN ralphctl.is_group(keeps_work, gates, children, n_done + n_dropped) THEN 1 ELSE 0 END
  ) STORED,
  status text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    ralphctl.status_of(own, keeps_work, gates, children, n_failed, n_in_progress, n_done, n_dropped)
  ) STORED,
  queue integer GENERATED ALWAYS AS (
    CASE
      WHEN open_needs + held > 0 OR ralphctl.is_group(keeps_work, gates, children, n_done + n_dropped) THEN NULL
      WHEN own = 'pending' THEN 0
      WHEN own = 'failed' AND retry <> 0 THEN 1
    END
  ) STORED,
  PRIMARY KEY (repository, seq),
  UNIQUE (repository, id),
  FOREIGN KEY (repository, parent) REFERENCES ralphctl.task
) WITH (fillfactor = 80);

CREATE INDEX task_queue ON ralphctl.task (repository, queue, priority, seq) WHERE queue IS NOT NULL;
CREATE INDEX task_scope_queue ON ralphctl.task (repository, scope, queue, priority, seq) WHERE queue IS NOT NULL;
CREATE INDEX task_scope ON ralphctl.task (repository, scope, status);
CREATE INDEX task_parent ON ralphctl.task (repository, parent) WHERE parent IS NOT NULL;
-- Not on the time itself: a heartbeat need not touch it.
CREATE INDEX task_lease ON ralphctl.task (repository, lease_host) WHERE lease_host IS NOT NULL;

CREATE TABLE ralphctl.dependency (
  repository integer NOT NULL,
  blocked integer NOT NULL,
  blocker integer NOT NULL,
  PRIMARY KEY (repository, blocked, blocker),
  FOREIGN KEY (repository, blocked) REFERENCES ralphctl.task ON DELETE CASCADE,
  FOREIGN KEY (repository, blocker) REFERENCES ralphctl.task ON DELETE CASCADE
);
CREATE INDEX dependency_blocker ON ralphctl.dependency (repository, blocker);

CREATE TABLE ralphctl.attempt (
  repository integer NOT NULL,
  task integer NOT NULL,
  fence bigint NOT NULL,
  run text,
  iteration bigint,
  host text NOT NULL,
  pid bigint NOT NULL,
  start text NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  outcome text,
  counted integer NOT NULL DEFAULT 0,
  reason text,
  cost_usd double precision,
  tokens bigint,
  session text,
  verdict text,
  recorded_at bigint,
  details text,
  PRIMARY KEY (repository, task, fence),
  FOREIGN KEY (repository, task) REFERENCES ralphctl.task ON DELETE CASCADE
);

CREATE TABLE ralphctl.log (
  repository integer NOT NULL,
  task integer NOT NULL,
  entry bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at bigint NOT NULL,
  actor text NOT NULL,
  kind text NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (repository, task, entry),
  FOREIGN KEY (repository, task) REFERENCES ralphctl.task ON DELETE CASCADE
);

CREATE TABLE ralphctl.meta (
  repository integer NOT NULL REFERENCES ralphctl.repository,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (repository, key)
);
`;

/** Forward only; the number of a migration is its place. Never edit one that was released: add another. */
export const migrations: readonly string[] = [tasks, `${fleetTables}${fleetMessages}${triggers}${functions}`];
