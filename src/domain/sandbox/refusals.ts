import { placeAround, type SandboxPlace } from "./sandbox.ts";

/** A path that the sandbox kept from a program, as far as its own words tell. */
export interface Refusal {
  readonly access: "read" | "write";
  readonly path: string;
}

const MOST = 20;
const LONGEST_LINE = 4000;

/** Finds refusals in what programs print: each path once, and not too many. Without places there are none. */
export function createRefusals(
  places: readonly SandboxPlace[] | undefined,
  { home, cwd }: { readonly home: string | undefined; readonly cwd: string },
): (text: string) => Refusal[] {
  const known = new Set<string>();
  return (text) => {
    if (places === undefined || known.size >= MOST || !WORDS.test(text)) return [];
    return text.split("\n").flatMap((line) => {
      const found = refusalIn(line.slice(0, LONGEST_LINE), { places, home, cwd });
      if (found === undefined || known.size >= MOST || known.has(`${found.access} ${found.path}`)) return [];
      known.add(`${found.access} ${found.path}`);
      return [found];
    });
  };
}

const READ_ONLY = /read-only file system|\bEROFS\b/i;
const MISSING = /permission denied|no such file|operation not permitted|\b(?:EACCES|ENOENT|EPERM)\b/i;
const WORDS = new RegExp(`${READ_ONLY.source}|${MISSING.source}`, "i");
/** In quotes it may have blanks. */
const PATH = /'([~.]{0,2}\/[^'\n]+)'|"([~.]{0,2}\/[^"\n]+)"|(?:^|[\s`(=‘])([~.]{0,2}\/[^\s'"`():,;’]+)/g;

interface Place {
  readonly places: readonly SandboxPlace[];
  readonly home: string | undefined;
  readonly cwd: string;
}

/** Programs name themselves first, and the path last. */
function refusalIn(line: string, { places, home, cwd }: Place): Refusal | undefined {
  const isReadOnly = READ_ONLY.test(line);
  if (!isReadOnly && !MISSING.test(line)) return undefined;
  const paths = [...line.matchAll(PATH)].map(([, one, two, plain]) =>
    absolute(one ?? two ?? plain ?? "", { home, cwd }),
  );
  const isRefused = (path: string): boolean => {
    const access = placeAround(places, path)?.access;
    return access === "hide" || (isReadOnly && access !== "write" && access !== "private");
  };
  const path = paths.findLast(isRefused);
  return path === undefined ? undefined : { access: isReadOnly ? "write" : "read", path };
}

function absolute(text: string, { home = "", cwd }: Pick<Place, "home" | "cwd">): string {
  const path = text.startsWith("~/") ? `${home}${text.slice(1)}` : text.startsWith("/") ? text : `${cwd}/${text}`;
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return `/${steps.join("/")}`;
}
