import { type CommandLine, inMountOrder, type SandboxProfile, type SandboxProgram } from "./sandbox.ts";

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
  const places = inMountOrder([...shown, ...profile.places]).filter(
    ({ access }) => access === "read" || access === "write",
  );
  const words = [
    ["run", "--rm", "--interactive"],
    program.isAttended === true ? ["--tty"] : [],
    ["--init", "--name", name, "--network", "host"],
    ["--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    user === undefined ? [] : ["--user", user],
    engine === "podman" && user !== undefined ? ["--userns", "keep-id"] : [],
    places.flatMap(({ path, access }) => ["--mount", mountOption(path, access === "read")]),
    handed.flatMap((variable) => ["--env", variable]),
    ["--workdir", program.cwd, image, program.file, ...program.args],
  ];
  return [engine, ...words.flat()];
}

/** The image has its own. */
const OF_MACHINE = new Set(["PATH", "SHELL", "PWD", "OLDPWD", "HOSTNAME"]);

/** A field with a comma or a quote in it is quoted as in CSV. */
function mountOption(path: string, isReadOnly: boolean): string {
  const field = (name: string): string => {
    const text = `${name}=${path}`;
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return ["type=bind", field("source"), field("target"), ...(isReadOnly ? ["readonly"] : [])].join(",");
}

/** Ends a container whose client was killed: the engine would let it run on. */
export const endContainer = ({ engine, name }: Pick<ContainerRequest, "engine" | "name">): CommandLine => [
  engine,
  "rm",
  "--force",
  name,
];
