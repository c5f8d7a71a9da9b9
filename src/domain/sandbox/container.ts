import {
  type CommandLine,
  type FoundPlace,
  inMountOrder,
  isBelow,
  type SandboxProfile,
  type SandboxProgram,
} from "./sandbox.ts";

export interface ContainerRequest {
  readonly engine: "docker" | "podman";
  readonly image: string;
  /** Of the container; no other has it. */
  readonly name: string;
  /** The user inside: files that it writes shall be the person's. Undefined: the image's. */
  readonly user: string | undefined;
  /** The names of variables to hand over. */
  readonly variables: readonly string[];
  /** Places to be read: the session's files, the person's repository, ralphctl itself. */
  readonly read: readonly string[];
}

/**
 * The command line of a container. The image is its file system, so only the places that are named are there: the agent,
 * and Node for `ralphctl`, have to be in the image.
 */
export function containerCommand(
  profile: SandboxProfile,
  program: SandboxProgram,
  request: ContainerRequest,
): CommandLine {
  const { engine, image, name, user, variables, read } = request;
  const handed = variables.filter((variable) => !profile.unset.includes(variable) && !OF_MACHINE.has(variable));
  const shown = read.map((path) => ({ path, access: "read" as const, isFolder: true }));
  const ordered = inMountOrder([...shown, ...profile.places]);
  const places = ordered.filter(({ access }) => access === "read" || access === "write");
  // All else is not there anyway.
  const hidden = ordered.filter(
    ({ access, path }) => access === "hide" && places.some((one) => isBelow(one.path, path)),
  );
  const words = [
    ["run", "--rm", "--interactive"],
    program.isAttended === true ? ["--tty"] : [],
    ["--init", "--name", name, "--network", "host"],
    ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    user === undefined ? [] : ["--user", user],
    engine === "podman" && user !== undefined ? ["--userns", "keep-id"] : [],
    inMountOrder([...places, ...hidden]).flatMap((place) => ["--mount", mountOption(place)]),
    handed.flatMap((variable) => ["--env", variable]),
    ["--workdir", program.cwd, image, program.file, ...program.args],
  ];
  return [engine, ...words.flat()];
}

/** The image has its own. */
const OF_MACHINE = new Set(["PATH", "SHELL", "PWD", "OLDPWD", "HOSTNAME"]);

function mountOption({ path, access, isFolder }: FoundPlace): string {
  const target = field("target", path);
  if (access === "hide" && isFolder) return `type=tmpfs,${target}`;
  const source = field("source", access === "hide" ? "/dev/null" : path);
  return ["type=bind", source, target, ...(access === "write" ? [] : ["readonly"])].join(",");
}

/** With a comma or a quote in it, it is quoted as in CSV. */
function field(name: string, path: string): string {
  const text = `${name}=${path}`;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Ends a container whose client was killed: the engine would let it run on. */
export const endContainer = ({ engine, name }: Pick<ContainerRequest, "engine" | "name">): CommandLine => [
  engine,
  "rm",
  "--force",
  name,
];
