import { describe, expect, test } from "vitest";
import { filesLook } from "../../test/files-look.ts";
import { isPackage, packageGates, packageOf } from "./package-gates.ts";

const pack = (name: string, scripts: object = {}): string => JSON.stringify({ name, scripts });
const commands = async (files: Readonly<Record<string, string>>, folder: string): Promise<string[]> =>
  (await packageGates(filesLook(files), folder)).map(({ run }) => run);

const PNPM = {
  "package.json": JSON.stringify({ scripts: { test: "pnpm -r test", build: "pnpm -r build", lint: "eslint ." } }),
  "pnpm-lock.yaml": "",
  "pnpm-workspace.yaml": "packages: ['packages/*']\n",
  "packages/a/package.json": pack("a", { test: "vitest run", build: "tsdown", lint: "biome ci" }),
  "packages/a/test/fixtures/x/package.json": pack("x", { test: "exit 1" }),
  "packages/b/package.json": pack("b", { test: "vitest run" }),
};

describe("P-16 the gates of one package", () => {
  test("are those scripts that the gates of the workspace run in it, by its package manager", async () => {
    expect(await packageGates(filesLook(PNPM), "packages/a")).toEqual([
      {
        id: "packages-a.test",
        run: "cd packages/a && CI=1 pnpm run test",
        script: "test: vitest run",
        at: "packages/a/package.json (scripts.test)",
      },
      expect.objectContaining({ id: "packages-a.build", run: "cd packages/a && CI=1 pnpm run build" }),
    ]);
  });

  test("turbo and nx build first what the package needs", async () => {
    const files = {
      "package.json": JSON.stringify({ workspaces: ["packages/*"], scripts: { test: "turbo run test" } }),
      "turbo.json": JSON.stringify({ tasks: { test: {} } }),
      "package-lock.json": "{}",
      "packages/ui/package.json": pack("@me/ui", { test: "vitest run" }),
    };
    expect(await commands(files, "packages/ui")).toEqual([
      "CI=1 npx --no-install turbo run test --filter=./packages/ui",
    ]);
    const { "turbo.json": _, ...others } = files;
    const nx = { ...others, "package.json": '{"workspaces":["packages/*"]}', "nx.json": "{}" };
    expect(await commands(nx, "packages/ui")).toEqual([
      "CI=1 npx --no-install nx run-many --target=test --projects=@me/ui",
    ]);
  });

  test("cargo and go test the package alone", async () => {
    const cargo = {
      "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/old"]\n',
      "crates/a/Cargo.toml": '[package]\nname = "a"\n',
    };
    expect(await commands(cargo, "crates/a")).toEqual(["cd crates/a && cargo test"]);
    expect(await isPackage(filesLook(cargo), "crates/old")).toBe(false);
    expect(await isPackage(filesLook(cargo), "crates/a/fixtures")).toBe(false);
    const go = {
      "go.work": "go 1.22\nuse (\n\t.\n\t./tools\n)\n",
      "go.mod": "module m\n",
      "tools/go.mod": "module t\n",
    };
    expect(await commands(go, "tools")).toEqual(["cd tools && go test ./..."]);
  });

  test("a package is found by the files in it; several packages, fixtures and the top are none", async () => {
    const look = filesLook(PNPM);
    const of = async (...paths: string[]): Promise<string | undefined> => await packageOf(look, paths);
    expect(await of("packages/a/src/a.ts", "pnpm-lock.yaml", "README.md")).toBe("packages/a");
    expect(await of("packages/a/test/fixtures/x/index.js")).toBe("packages/a");
    expect(await of("packages/a/a.ts", "packages/b/b.ts")).toBeUndefined();
    expect(await of("README.md")).toBeUndefined();
    expect(await packageOf(filesLook({ "package.json": "{}" }), ["a/b.ts"])).toBeUndefined();
  });
});
