import type { Cooldown } from "../domain/run/next-agent.ts";
import type { End } from "./decide.ts";
import type { Agent } from "./run-deps.ts";

/** Why a run ends whose last agent is out for good; undefined: it can start again some time. */
export function endWithout(agent: Agent, { why, times, message, asked }: Cooldown): End | undefined {
  const { login } = agent.harness.facts;
  const title = titleOf(agent);
  switch (why) {
    case "login":
      return { brokeOff: "login", reason: message, ...(login && { help: [login] }) };
    case "region":
      return { brokeOff: "login", reason: message, help: ["Ask who runs the account, or choose another harness"] };
    case "bill":
      return {
        brokeOff: "login",
        reason: `The account has run out of credit: ${message}`,
        help: [`Add credit to the account that ${title.replace(/^The /, "the ")} uses, or choose another harness`],
      };
    case "model": {
      const what = asked === undefined ? "its default model" : `the model "${asked.model}" (${asked.where})`;
      return { brokeOff: "model", reason: `${title} cannot use ${what}: ${message}`, help: [modelHelp(agent, asked)] };
    }
    case "broken":
      return {
        brokeOff: "errors",
        reason: `${title} failed ${times} times in the same way, before its model answered: ${message}`,
      };
    case "limit":
    case "outage":
    case "crash":
    default:
      return undefined;
  }
}

const titleOf = ({ name, harness: { facts } }: Agent): string =>
  facts.program === undefined ? `The harness ${name}` : facts.title;

const modelHelp = ({ name }: Agent, asked: Cooldown["asked"]): string =>
  asked === undefined
    ? `Set harnesses.${name}.model, or give --model NAME`
    : `Correct the model in ${asked.where}, or remove it to use the default of ${name}`;
