import type { Position } from "../domain/position.ts";
import type { KeyPath } from "../system/yaml-text.ts";

/** How the place that data came from speaks of its parts. */
export interface Speech {
  /** What the user would call the value: a key, a variable, a flag. */
  readonly nameOf: (path: KeyPath) => string;
  readonly locate: (path: KeyPath, part: "key" | "value") => Position | undefined;
}
