/** Named values: an object of JSON, or a mapping of YAML. */
export type Mapping = Readonly<Record<string, unknown>>;

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object that a JSON text is; undefined for any other text. */
export function parseMapping(text: string): Mapping | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
