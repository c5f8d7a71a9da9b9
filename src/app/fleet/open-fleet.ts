import { createHash } from "node:crypto";
import { type Environment, FLEET_VARIABLE } from "../../domain/environment.ts";
import { type Bell, createBell } from "../../loop/desk.ts";
import type { Agent } from "../../loop/run-deps.ts";
import { openPostgresFleet } from "../../store/index.ts";
import type { Fleet } from "../../store/store.ts";
import { rootCommit } from "../../system/git/root-commit.ts";
import type { Workspace } from "../workspace.ts";
import { fleetAddress } from "./fleet-address.ts";
import { patience } from "./patient.ts";

/** The fleet of a clone, as long as a command works for it. */
export interface OpenFleet {
  readonly shared: Fleet;
  readonly wake: Bell;
  /** Somebody wants a file that stays on a machine. */
  readonly asks: Bell;
  readonly settings: Workspace["config"]["fleet"];
  readonly accountOf: (agent: Agent) => string;
  /** Where sentences about the database go. */
  readonly tell: { say: (sentence: string) => void };
  readonly close: () => Promise<void>;
}

interface FleetPlace {
  readonly cwd: string;
  readonly env: Environment;
  readonly stop: AbortSignal;
}

export async function openFleet(workspace: Workspace, { cwd, env, stop }: FleetPlace): Promise<OpenFleet> {
  const url = await fleetAddress(undefined, { cwd, env });
  const fleet = await openPostgresFleet({ url, repository: await rootCommit({ folder: cwd, env }) });
  const tell: OpenFleet["tell"] = { say: () => undefined };
  const settings = workspace.config.fleet;
  const patient = patience({
    stop,
    onAway: ({ message }: Error) => tell.say(`${message}. Sessions go on; ralphctl tries again`),
    onBack: () => tell.say(`PostgreSQL at ${fleet.name} answers again`),
  });
  const [wake, asks] = [createBell(), createBell()];
  const endListening = await fleet.listen((what) => (what === "asks" ? asks : wake).ring());
  return {
    shared: patient({ ...fleet, store: patient(fleet.store) }),
    wake,
    asks,
    settings,
    accountOf: accountsIn(env),
    tell,
    close: async () => {
      await endListening();
      await fleet.close();
    },
  };
}

/** The environment without the address: nothing that a run starts gets it (F-08). */
export const withoutAddress = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name !== FLEET_VARIABLE));

const KEY_VARIABLES = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "DASHSCOPE_API_KEY"];

/** F-05: machines with the same key share its limits. Of another login nothing is known, so it is this machine's own. */
function accountsIn(env: Environment): (agent: Agent) => string {
  return ({ name }) => {
    const keys = KEY_VARIABLES.flatMap((variable) => env[variable] ?? []);
    const identity = keys.length > 0 ? keys.join("\n") : `${env["HOSTNAME"] ?? ""} ${env["HOME"] ?? ""}`;
    return createHash("sha256").update(`${name}\n${identity}`).digest("hex").slice(0, 16);
  };
}
