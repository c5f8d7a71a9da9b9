import { isMapping, type Mapping } from "../../domain/mapping.ts";
import { isSame, partsOf, valueAt } from "./parts.ts";
import { parseToml } from "../../domain/toml.ts";

/**
 * For a second run: the candidate's text with these parts as the base has them. Undefined: the file has to be as the base
 * has it, because it cannot be put together.
 */
export function withBaseParts(
  keys: readonly string[],
  before: string | undefined,
  after: string | undefined,
): string | undefined {
  if (before === undefined || after === undefined || keys.length === 0) return undefined;
  return asJson(keys, before, after) ?? asSections(keys, before, after);
}

function asJson(keys: readonly string[], before: string, after: string): string | undefined {
  try {
    const [old, now] = [JSON.parse(before) as unknown, JSON.parse(after) as unknown];
    if (!isMapping(old) || !isMapping(now)) return undefined;
    for (const key of keys) setAt(now, key.split("."), valueAt(old, key));
    return `${JSON.stringify(now, undefined, 2)}\n`;
  } catch {
    return undefined; // another format
  }
}

function setAt(into: Record<string, unknown>, [step = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0 || Object.hasOwn(into, [step, ...rest].join("."))) {
    const name = [step, ...rest].join(".");
    if (value === undefined) delete into[name];
    else into[name] = value;
    return;
  }
  const inner = into[step];
  if (isMapping(inner)) setAt(inner, rest, value);
  else if (value !== undefined) setAt((into[step] = {}), rest, value);
}

/** TOML and INI: whole sections. The result is read again, and has to say what the base says. */
function asSections(keys: readonly string[], before: string, after: string): string | undefined {
  const isMeant = (section: string): boolean => {
    const head = /^\[{1,2}([^\]]+)\]/.exec(section)?.[1]?.trim();
    return (
      head !== undefined && keys.some((key) => key === head || head.startsWith(`${key}.`) || key.startsWith(`${head}.`))
    );
  };
  const sections = (text: string): string[] => text.replaceAll("\r\n", "\n").split(/^(?=\[)/m);
  const own = sections(after).filter((section) => !isMeant(section));
  const text = [...own, ...sections(before).filter(isMeant)].map((section) => `${section.trimEnd()}\n`).join("\n");
  return FORMATS.some((read) => {
    const [old, now, made] = [read(before), read(after), read(text)];
    const values = keys.map((key) => [old, now, made].map((state) => valueAt(state, key)));
    // A format in which the parts do not differ is not the format of this file.
    return values.every(([base, candidate, result]) => !isSame(base, candidate) && isSame(base, result));
  })
    ? text
    : undefined;
}

const FORMATS: readonly ((text: string) => Mapping | undefined)[] = [parseToml, (text) => partsOf("x.ini", text)];
