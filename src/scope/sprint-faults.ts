import { RalphError } from "../domain/error.ts";
import type { Position } from "../domain/position.ts";
import type { KeyPath } from "../system/yaml-text.ts";
import type { YamlFile } from "./yaml-file.ts";

/** Something in a sprint's files that is not as it must be. */
export interface SprintFault {
  readonly level: "error" | "warning";
  readonly file: string;
  readonly position: Position;
  /** As one writes it: `phases[1].gate`. */
  readonly key: string;
  /** What holds for the key: the end of a sentence that begins with it. */
  readonly rule: string;
  readonly hint: string;
}

export interface FaultPlace {
  readonly path: KeyPath;
  /** Default: the value. */
  readonly part?: "key" | "value";
  readonly level?: SprintFault["level"];
}

export function faultAt(file: YamlFile, place: FaultPlace, says: Pick<SprintFault, "rule" | "hint">): SprintFault {
  const { path, part = "value", level = "error" } = place;
  return { level, file: file.file, position: file.locate(path, part), key: writtenKey(path), ...says };
}

const writtenKey = (path: KeyPath): string =>
  path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");

/** A fault as a sentence: key, rule, file and line. */
export const faultText = ({ key, rule, file, position }: SprintFault): string =>
  `\`${key}\` ${rule} (${file}, line ${position.line}, column ${position.column})`;

const MOST_SHOWN = 10;

/** The error that names all of them. */
export function faultsError(faults: readonly SprintFault[]): RalphError {
  const shown = faults.slice(0, MOST_SHOWN).map(faultText);
  const more = faults.length > shown.length ? [`and ${faults.length - shown.length} more`] : [];
  return new RalphError("data", [...shown, ...more].join("\n"), { hint: faults[0]!.hint });
}
