import * as z from "zod/mini";
import { infoOf } from "./described-key.ts";
import { configSchema } from "./schema.ts";

/** The JSON Schema (2020-12) of a configuration file, from the schema that checks it. */
export function makeJsonSchema(): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(configSchema, {
    target: "draft-2020-12",
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const info = infoOf(zodSchema);
      if (info === undefined) return;
      jsonSchema.description = info.doc;
      if (info.kind === undefined && zodSchema !== configSchema) allowEmpty(jsonSchema);
      if (info.entries === "by name") allowEmpty(jsonSchema.additionalProperties);
    },
  });
  return { title: "ralphctl configuration", ...schema };
}

/** A group of which every line is commented out is empty, and that is fine. */
function allowEmpty(jsonSchema: unknown): void {
  if (typeof jsonSchema === "object" && jsonSchema !== null) Object.assign(jsonSchema, { type: ["object", "null"] });
}
