import { environment } from "./environment.ts";
import { exitCodes } from "./exit-codes.ts";
import { files } from "./files.ts";
import { gates } from "./gates.ts";
import { harnesses } from "./harnesses.ts";
import { hooks } from "./hooks.ts";
import type { TopicName } from "./index.ts";
import { lanes } from "./lanes.ts";
import { limits } from "./limits.ts";
import { scopes } from "./scopes.ts";
import { sessions } from "./sessions.ts";
import { specs } from "./specs.ts";
import { sprints } from "./sprints.ts";
import { tasks } from "./tasks.ts";

/** The text of each topic. */
export const TOPIC_TEXTS: Readonly<Record<TopicName, string>> = {
  tasks,
  specs,
  gates,
  scopes,
  sprints,
  lanes,
  harnesses,
  sessions,
  limits,
  hooks,
  files,
  environment,
  "exit-codes": exitCodes,
};
