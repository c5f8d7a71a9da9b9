import { isMapping, type Mapping } from "./mapping.ts";

// What ralphctl decides in a conversation by the Agent Client Protocol, and the lines that tell of it. The program that
// talks to the agent prints them between the lines of the agent, and the reader of the harness `acp` reads both.

/** The version of the protocol that ralphctl speaks. */
export const ACP_VERSION = 1;

/** A line of our own. */
export type AcpNote =
  /** A message to the agent; of a prompt only that it was sent. */
  { readonly sent: Mapping } | { readonly problem: AcpProblem };

/** Why ralphctl ended the conversation. `agent`: it does not speak ACP as we do; `model`: it has not the one asked for. */
export interface AcpProblem {
  readonly about: "agent" | "model";
  readonly message: string;
}

/** Whether an agent may do what it asks permission for. */
export type AcpPermissions = "allow" | "reject";

/**
 * The answer to a request for permission: an option that the agent offers, for this once. An option that lasts would
 * outlive the session, in files of the agent. Without one that fits, the answer is that nobody chose.
 */
export function permissionAnswer(options: unknown, permissions: AcpPermissions): Mapping {
  const kinds = permissions === "allow" ? ["allow_once", "reject_once"] : ["reject_once"];
  const offered = Array.isArray(options) ? options.filter(isMapping) : [];
  for (const wanted of kinds) {
    const option = offered.find(({ kind, optionId }) => kind === wanted && typeof optionId === "string");
    if (option !== undefined) return { outcome: { outcome: "selected", optionId: option["optionId"] } };
  }
  return { outcome: { outcome: "cancelled" } };
}

/** How to choose a model in a new session: the request that does it, none if it is chosen already, or a problem. */
export type AcpModelChoice =
  | { readonly method: string; readonly params: Mapping }
  | { readonly chosen: true }
  | { readonly problem: AcpProblem };

/** Only a model that the agent offers: some accept any name, and work with another model. */
export function modelChoice(session: Mapping, model: string): AcpModelChoice {
  const offers = [configOffer(session), listOffer(session)].filter((offer) => offer !== undefined);
  if (offers.length === 0) {
    const message = `The agent does not let its client choose a model, so ralphctl cannot set ${JSON.stringify(model)}`;
    return { problem: { about: "model", message } };
  }
  for (const { models, current, request } of offers) {
    const found = models.find(({ id }) => id === model) ?? models.find(({ name }) => name === model);
    if (found !== undefined) return found.id === current ? { chosen: true } : request(found.id);
  }
  const names = offers[0]!.models.map(({ id }) => id);
  const list = [...names.slice(0, MOST_NAMED), ...(names.length > MOST_NAMED ? ["…"] : [])].join(", ");
  const message = `The agent has no model ${JSON.stringify(model)}; it offers: ${list === "" ? "none" : list}`;
  return { problem: { about: "model", message } };
}

const MOST_NAMED = 12;

interface ModelOffer {
  readonly models: readonly { readonly id: string; readonly name: unknown }[];
  readonly current: unknown;
  readonly request: (id: string) => { readonly method: string; readonly params: Mapping };
}

/** As an option of the session's configuration, possibly in groups. */
function configOffer({ sessionId, configOptions }: Mapping): ModelOffer | undefined {
  const option = listOf(configOptions).find(({ category, type }) => category === "model" && type === "select");
  if (option === undefined) return undefined;
  const values = listOf(option["options"]).flatMap((one) => ("options" in one ? listOf(one["options"]) : [one]));
  return {
    models: named(values, "value"),
    current: option["currentValue"],
    request: (value) => ({
      method: "session/set_config_option",
      params: { sessionId, configId: option["id"], value },
    }),
  };
}

/** In the way that was usual before. */
function listOffer({ sessionId, models }: Mapping): ModelOffer | undefined {
  if (!isMapping(models)) return undefined;
  return {
    models: named(listOf(models["availableModels"]), "modelId"),
    current: models["currentModelId"],
    request: (modelId) => ({ method: "session/set_model", params: { sessionId, modelId } }),
  };
}

const listOf = (value: unknown): readonly Mapping[] => (Array.isArray(value) ? value.filter(isMapping) : []);

const named = (values: readonly Mapping[], key: string): ModelOffer["models"] =>
  values.flatMap(({ [key]: id, name }) => (typeof id === "string" ? [{ id, name }] : []));
