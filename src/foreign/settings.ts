/** The settings of another tool, as far as they have a meaning here. */
export interface ForeignSettings {
  readonly specs: readonly string[];
  /** Keys of `limits` here, as they are written in YAML. */
  readonly limits: Readonly<Record<string, string>>;
  /** What it says besides, by its own names. */
  readonly unused: readonly string[];
}
