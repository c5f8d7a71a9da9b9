/**
 * What machines share beside tasks. What changes often has a row of its own, so that nobody waits for another's: the
 * counters of a run, the last number of its events. A message goes out only for what wakes somebody, because each one
 * wakes all who listen.
 */
export const fleetTables = `
-- An attempt is written twice: the second time in its place.
ALTER TABLE ralphctl.attempt SET (fillfactor = 70);

CREATE TABLE ralphctl.run (
  repository integer NOT NULL REFERENCES ralphctl.repository,
  id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  request text NOT NULL,
  limit_iterations bigint,
  limit_cost double precision,
  limit_tokens bigint,
  lease_host text COLLATE "C" NOT NULL,
  lease_pid bigint NOT NULL,
  lease_start text COLLATE "C" NOT NULL,
  lease_until bigint NOT NULL,
  lease_ms bigint NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  ending text,
  stop integer NOT NULL DEFAULT 0,
  stop_after integer NOT NULL DEFAULT 0,
  paused integer NOT NULL DEFAULT 0,
  resumes integer NOT NULL DEFAULT 0,
  asked_from text,
  PRIMARY KEY (repository, id)
);
CREATE UNIQUE INDEX run_active ON ralphctl.run (repository, target) WHERE ended_at IS NULL;
CREATE INDEX run_started ON ralphctl.run (repository, started_at);

CREATE TABLE ralphctl.run_count (
  repository integer NOT NULL,
  run text COLLATE "C" NOT NULL,
  begun bigint NOT NULL DEFAULT 0,
  counted bigint NOT NULL DEFAULT 0,
  cost_usd double precision NOT NULL DEFAULT 0,
  tokens bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (repository, run),
  FOREIGN KEY (repository, run) REFERENCES ralphctl.run ON DELETE CASCADE
) WITH (fillfactor = 20);

-- The lock of its row decides the order of events.
CREATE TABLE ralphctl.run_stream (
  repository integer NOT NULL,
  run text COLLATE "C" NOT NULL,
  last bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (repository, run),
  FOREIGN KEY (repository, run) REFERENCES ralphctl.run ON DELETE CASCADE
) WITH (fillfactor = 20);

CREATE TABLE ralphctl.event (
  repository integer NOT NULL,
  run text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (repository, run, seq)
);

-- How many lines of a machine's own file have arrived.
CREATE TABLE ralphctl.spool (
  repository integer NOT NULL,
  run text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  lines bigint NOT NULL,
  PRIMARY KEY (repository, run, name),
  FOREIGN KEY (repository, run) REFERENCES ralphctl.run ON DELETE CASCADE
);

CREATE TABLE ralphctl.member (
  repository integer NOT NULL REFERENCES ralphctl.repository,
  number integer NOT NULL,
  name text NOT NULL,
  lanes integer NOT NULL,
  harnesses text NOT NULL,
  version text NOT NULL,
  lease_host text COLLATE "C" NOT NULL,
  lease_pid bigint NOT NULL,
  lease_start text COLLATE "C" NOT NULL,
  lease_until bigint NOT NULL,
  lease_ms bigint NOT NULL,
  joined_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  state text NOT NULL,
  PRIMARY KEY (repository, number)
);

CREATE TABLE ralphctl.lander (
  repository integer NOT NULL REFERENCES ralphctl.repository,
  target text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  lease_host text COLLATE "C",
  lease_pid bigint,
  lease_start text COLLATE "C",
  lease_until bigint,
  lease_ms bigint,
  PRIMARY KEY (repository, target)
);

CREATE TABLE ralphctl.intent (
  repository integer NOT NULL REFERENCES ralphctl.repository,
  target text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  to_commit text COLLATE "C" NOT NULL,
  from_commit text COLLATE "C",
  tree text COLLATE "C" NOT NULL,
  run text COLLATE "C" NOT NULL,
  task text COLLATE "C",
  fence bigint,
  state text COLLATE "C" NOT NULL CHECK (state IN ('open', 'landed', 'given-up')),
  written_at bigint NOT NULL,
  PRIMARY KEY (repository, target, epoch, to_commit)
);
CREATE INDEX intent_open ON ralphctl.intent (repository, target, epoch) WHERE state = 'open';
CREATE INDEX intent_landed ON ralphctl.intent (repository, target, to_commit) WHERE state = 'landed';

-- Dies with the lease of its task, or with its member.
CREATE TABLE ralphctl.reservation (
  repository integer NOT NULL,
  run text COLLATE "C" NOT NULL,
  holder text COLLATE "C" NOT NULL,
  task text COLLATE "C",
  fence bigint,
  member integer,
  cost_usd double precision NOT NULL,
  tokens bigint NOT NULL,
  PRIMARY KEY (repository, run, holder),
  FOREIGN KEY (repository, run) REFERENCES ralphctl.run ON DELETE CASCADE
);

CREATE TABLE ralphctl.cooldown (
  repository integer NOT NULL REFERENCES ralphctl.repository,
  account text COLLATE "C" NOT NULL,
  harness text COLLATE "C" NOT NULL,
  why text NOT NULL,
  times integer NOT NULL,
  message text NOT NULL,
  until_at bigint NOT NULL,
  PRIMARY KEY (repository, account, harness)
);

CREATE TABLE ralphctl.ask (
  repository integer NOT NULL REFERENCES ralphctl.repository,
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  member integer NOT NULL,
  run text COLLATE "C" NOT NULL,
  file text NOT NULL,
  max_bytes integer NOT NULL,
  asked_at bigint NOT NULL,
  answer text,
  is_cut integer,
  problem text,
  answered_at bigint,
  PRIMARY KEY (repository, id)
);
CREATE INDEX ask_open ON ralphctl.ask (repository, member) WHERE answered_at IS NULL;

-- Lines that arrived before are left out. -1: no such run; -2: lines before these are missing.
CREATE FUNCTION ralphctl.append_events(repo integer, of_run text, of_spool text, before bigint, added text[])
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  ending bigint;
  have bigint;
  fresh text[];
BEGIN
  SELECT last INTO ending FROM ralphctl.run_stream WHERE repository = repo AND run = of_run FOR UPDATE;
  IF NOT FOUND THEN RETURN -1; END IF;
  SELECT lines INTO have FROM ralphctl.spool WHERE repository = repo AND run = of_run AND name = of_spool;
  have := coalesce(have, 0);
  IF before > have THEN RETURN -2; END IF;
  fresh := added[have - before + 1 : cardinality(added)];
  IF cardinality(fresh) = 0 THEN RETURN have; END IF;
  INSERT INTO ralphctl.event (repository, run, seq, line)
  SELECT repo, of_run, ending + one.n, one.line FROM unnest(fresh) WITH ORDINALITY AS one (line, n);
  UPDATE ralphctl.run_stream SET last = ending + cardinality(fresh) WHERE repository = repo AND run = of_run;
  have := have + cardinality(fresh);
  INSERT INTO ralphctl.spool (repository, run, name, lines) VALUES (repo, of_run, of_spool, have)
  ON CONFLICT (repository, run, name) DO UPDATE SET lines = excluded.lines;
  RETURN have;
END $$;
`;

/** Who listens does so on `ralphctl_NUMBER` of their repository. Messages of one kind are one in a transaction. */
export const fleetMessages = `
CREATE FUNCTION ralphctl.wake(repo integer, what text) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('ralphctl_' || repo, what)
$$;

CREATE FUNCTION ralphctl.wake_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ralphctl.wake(NEW.repository, TG_ARGV[0]);
  RETURN NULL;
END $$;

CREATE TRIGGER run_began AFTER INSERT ON ralphctl.run FOR EACH ROW EXECUTE FUNCTION ralphctl.wake_all('runs');
CREATE TRIGGER run_ended AFTER UPDATE OF ended_at ON ralphctl.run FOR EACH ROW EXECUTE FUNCTION ralphctl.wake_all('runs');
CREATE TRIGGER run_asked AFTER UPDATE OF stop, stop_after, paused, resumes ON ralphctl.run
FOR EACH ROW EXECUTE FUNCTION ralphctl.wake_all('requests');
CREATE TRIGGER lander_left AFTER UPDATE OF lease_host ON ralphctl.lander
FOR EACH ROW WHEN (NEW.lease_host IS NULL) EXECUTE FUNCTION ralphctl.wake_all('landing');
CREATE TRIGGER member_asked AFTER INSERT ON ralphctl.ask FOR EACH ROW EXECUTE FUNCTION ralphctl.wake_all('asks');
`;
