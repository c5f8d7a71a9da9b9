import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { commands } from "../src/cli/commands/index.ts";

// F-11: nobody runs these here. What can be told from their text is checked.

const files = readdirSync("deploy", { recursive: true, encoding: "utf8" }).filter((file) => /\.\w+$|file$/.test(file));
const textOf = (file: string): string => readFileSync(join("deploy", file), "utf8");

type Mapping = Readonly<Record<string, unknown>>;

/** The value at a path of names and places; undefined if there is none. */
const at = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((found, name) => (found as Mapping | undefined)?.[name], value);

/** Every command line of ralphctl, as words: of shells, of units, and lists of YAML and the Dockerfile. */
function commandLines(text: string): string[][] {
  const lists = Array.from(text.matchAll(/\["ralphctl"((?:, "[^"]*")*)\]/g), ([, rest = ""]) =>
    Array.from(rest.matchAll(/"([^"]*)"/g), ([, word]) => word!),
  );
  const lines = Array.from(
    text.matchAll(/(?:env|lead|`)\s*ralphctl ((?:[a-z]+|--?[a-z-]+|\d+)(?: [\w-]+)*)/g),
    ([, rest]) => rest!.split(" "),
  );
  return [...lists, ...lines];
}

function unknownIn(words: readonly string[]): string | undefined {
  const named = words.filter((word) => !word.startsWith("-"));
  const command = commands.find(({ name }) => name === named.slice(0, name.split(" ").length).join(" "));
  if (command === undefined) return `no command: ${words.join(" ")}`;
  const known = new Set((command.options ?? []).flatMap(({ flags }) => flags.match(/--[\w-]+/g) ?? []));
  const wrong = words.filter((word) => word.startsWith("--") && !known.has(word));
  return wrong.length === 0 ? undefined : `${command.name} has no ${wrong.join(", ")}`;
}

describe("F-11 deploy/", () => {
  test("F-11 every command and flag of ralphctl in it exists", () => {
    const lines = files.flatMap((file) => commandLines(textOf(file)));
    expect(lines).toContainEqual(["worker", "--lanes", "2"]);
    expect(lines).toContainEqual(["worker", "--lanes", "auto"]);
    expect(lines).toContainEqual(["run", "--fleet", "--plain"]);
    expect(lines.flatMap((words) => unknownIn(words) ?? [])).toEqual([]);
    expect([unknownIn(["wrok"]), unknownIn(["worker", "--lane"])]).toEqual([
      "no command: wrok",
      "worker has no --lane",
    ]);
  });

  test("F-11 manifests have what their kinds require, stop gracefully, and take the address from a file", () => {
    const names = ["secret", "workers", "run"].map((name) => `kubernetes/${name}.yaml`);
    const all = names.flatMap((name) =>
      parseAllDocuments(textOf(name)).map((document) => {
        expect(document.errors).toEqual([]);
        return document.toJS() as Mapping;
      }),
    );
    expect(all.map((each) => [each["apiVersion"], each["kind"]])).toEqual([
      ["v1", "Secret"],
      ["apps/v1", "Deployment"],
      ["policy/v1", "PodDisruptionBudget"],
      ["batch/v1", "Job"],
    ]);
    const [secret, workers, budget, job] = all;
    for (const each of [secret, workers, budget]) expect(at(each, "metadata", "name")).toEqual(expect.any(String));
    expect(at(job, "metadata", "generateName")).toEqual(expect.any(String));
    const labels = at(workers, "spec", "selector", "matchLabels");
    expect(at(workers, "spec", "template", "metadata", "labels")).toEqual(labels);
    expect(at(budget, "spec", "selector", "matchLabels")).toEqual(labels);
    expect(at(job, "spec", "template", "spec", "restartPolicy")).toBe("Never");
    for (const each of [workers, job]) {
      const pod = at(each, "spec", "template", "spec");
      expect(at(pod, "terminationGracePeriodSeconds")).toBeGreaterThanOrEqual(600);
      const container = at(pod, "containers", 0);
      expect([at(container, "name"), at(container, "image")]).toEqual([expect.any(String), expect.any(String)]);
      const env = at(container, "env") as readonly Mapping[];
      const value = env.find(({ name }) => name === "RALPHCTL_FLEET_URL")?.["value"] as string;
      const mounts = at(container, "volumeMounts") as readonly Mapping[];
      expect(mounts.some(({ mountPath }) => value.startsWith(`@${String(mountPath)}/`))).toBe(true);
      const volumes = (at(pod, "volumes") as readonly Mapping[]).map(({ name }) => name);
      expect(mounts.map(({ name }) => name).sort()).toEqual(volumes.sort());
      const keys = env.flatMap((one) => at(one, "valueFrom", "secretKeyRef", "key") ?? []) as string[];
      expect(Object.keys(secret!["stringData"] as Mapping)).toEqual(expect.arrayContaining([...keys, "fleet-address"]));
    }
  });

  test("F-11 the compose file names what it uses, and has three workers that may finish their proof", () => {
    const compose = parse(textOf("compose.yaml"), { merge: true }) as Mapping;
    const services = compose["services"] as Readonly<Record<string, Mapping>>;
    expect(Object.keys(services).sort()).toEqual(["database", "fleet", "git", "lead", "worker"]);
    expect(at(services["worker"], "deploy", "replicas")).toBe(3);
    expect(at(services["worker"], "stop_grace_period")).toBe("10m");
    for (const service of Object.values(services)) {
      expect(Object.keys((service["depends_on"] ?? {}) as Mapping).every((name) => name in services)).toBe(true);
      const secrets = (service["secrets"] ?? []) as readonly string[];
      expect(Object.keys(compose["secrets"] as Mapping)).toEqual(expect.arrayContaining([...secrets]));
      const volumes = (service["volumes"] ?? []) as readonly string[];
      expect(Object.keys(compose["volumes"] as Mapping)).toEqual(
        expect.arrayContaining(volumes.map((volume) => volume.split(":")[0]!)),
      );
    }
  });

  test("F-11 units and the image end with a signal that lets a proof finish", () => {
    const units = files.filter((file) => file.endsWith(".service"));
    expect(units).toHaveLength(2);
    for (const unit of units) {
      const text = textOf(unit);
      expect(text.match(/^\[\w+\]$/gm)?.slice(0, 2)).toEqual(["[Unit]", "[Service]"]);
      expect(text).toMatch(/^KillMode=mixed$[^]*^TimeoutStopSec=15min$/m);
    }
    const image = textOf("Dockerfile");
    const words = image.replaceAll(/\\\n\s*/g, " ").match(/^[A-Z]+(?= )/gm);
    expect(new Set(words)).toEqual(
      new Set(["FROM", "RUN", "ARG", "COPY", "USER", "WORKDIR", "VOLUME", "STOPSIGNAL", "ENTRYPOINT", "CMD"]),
    );
    expect(image).toContain("STOPSIGNAL SIGTERM");
    expect(image).toMatch(/^USER ralph$/m);
  });
});
