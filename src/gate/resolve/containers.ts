import { isMapping } from "../../domain/mapping.ts";
import { below, type Call, type FollowPlace, pathIn, type Resolver, type Walk } from "./walk.ts";

const COMPOSE = /^(?:docker-)?compose[\w.-]*\.ya?ml$/i;
const IMAGE = /^(?:[\w-]+\.)?(?:Docker|Container)file(?:\.\w+)?$/i;
const TAKES_VALUE =
  /^-[euvwplf]$|^--(?:env|env-file|file|user|volume|workdir|name|entrypoint|publish|label|network|mount|platform|profile|project-name)$/;
/** Other commands start the product, and are the work. */
const CHECKS =
  /(?:^|[\s/:._"'-])(?:(?:py|unit)?tests?|checks?|lint|verify|specs?|(?<!npm )ci|e2e|qa|jest|vitest|tox|nox|rspec)(?=$|[\s/:._"',-])/i;

/** docker and podman: checks that a command, a compose file or an image names. What else runs in a container is not followed. */
export const containers: Resolver = (call, walk) =>
  /^(?:docker|podman)(?:-compose)?$/.test(call.program) && followContainers(call, walk);

/** Others say what is not followed. */
async function followContainers(call: Call, walk: Walk): Promise<false> {
  const { folder } = call;
  const place = { folder, depth: call.depth + 1 };
  const [service, ...words] = startedWords(call.args);
  await walk.followWords(words, place);
  const names = await walk.look.names(folder);
  for (const name of names.filter((one) => COMPOSE.test(one)))
    await followServices(walk, below(folder, name), { ...place, service });
  for (const name of names.filter((one) => IMAGE.test(one))) await followImage(walk, below(folder, name), place);
  return false;
}

/** `compose run --rm web npm test`: from `web` on. */
function startedWords(args: readonly string[]): string[] {
  const start = args.findIndex((word) => word === "run" || word === "exec");
  const rest = start < 0 ? [] : args.slice(start + 1);
  const at = rest.findIndex((word, index) => !word.startsWith("-") && !TAKES_VALUE.test(rest[index - 1] ?? ""));
  return at < 0 ? [] : rest.slice(at);
}

async function followServices(
  walk: Walk,
  path: string,
  { service, ...place }: FollowPlace & { readonly service: string | undefined },
): Promise<void> {
  const services = (await walk.parts(path))?.["services"];
  for (const [name, about] of Object.entries(isMapping(services) ? services : {})) {
    if (!isMapping(about)) continue;
    const context = isMapping(about["build"]) ? about["build"]["context"] : about["build"];
    const folder = pathIn(place.folder, typeof context === "string" ? context : ".") ?? place.folder;
    const health = isMapping(about["healthcheck"]) ? about["healthcheck"]["test"] : undefined;
    for (const value of [about["command"], about["entrypoint"], health]) {
      const text = Array.isArray(value) ? value.join(" ") : typeof value === "string" ? value : "";
      if (name === service || CHECKS.test(name) || CHECKS.test(text)) await walk.follow(text, { ...place, folder });
    }
    if (folder !== place.folder)
      for (const file of (await walk.look.names(folder)).filter((one) => IMAGE.test(one)))
        await followImage(walk, below(folder, file), { ...place, folder });
  }
}

async function followImage(walk: Walk, path: string, place: FollowPlace): Promise<void> {
  const text = ((await walk.text(path)) ?? "").replaceAll(/\\\r?\n/g, " ");
  for (const [, command = ""] of text.matchAll(/^[ \t]*(?:RUN|CMD|ENTRYPOINT)[ \t]+([^\n]*)/gim)) {
    // `["sh", "ci/test.sh"]`
    const plain = /^\[.*\]\s*$/.test(command) ? command.replaceAll(/[[\]",]+/g, " ").trim() : command;
    if (CHECKS.test(plain)) await walk.follow(plain, place);
  }
}
