import { expect, test } from "vitest";
import { buildOutputIn } from "./build-output.ts";
import { isSample, whySecretName } from "./secret-name.ts";

const isSecret = (path: string): boolean => whySecretName(path) !== undefined && !isSample(path);

test.each([
  ".env",
  "app/.env.local",
  ".ENV",
  "tests/.env",
  "id_rsa",
  "deploy/server.key",
  "latest/server.key",
  "a.p12",
])("T-03 %s is a secret", (path) => {
  expect(isSecret(path)).toBe(true);
});

test.each([
  ".env.example",
  ".env.local.sample",
  "app/.env-template",
  ".env.dist",
  "server.key.example",
  "test/server.key",
  "src/__tests__/id_rsa",
  "pkg/testdata/deep/server.key",
  "spec/keys/a.p12",
  "examples/tls/server.key",
  "test/fixtures/.env",
  "keys.ts",
])("T-03 %s is none", (path) => {
  expect(isSecret(path)).toBe(false);
});

test.each([
  ["node_modules/", "node_modules/"],
  ["web/dist/app.js", "web/dist/"],
  [".pytest_cache/v/x", ".pytest_cache/"],
  ["bin/Release/net8.0/a.dll", "bin/Release/"],
  ["debug.log", "debug.log"],
  ["src/a.pyc", "src/a.pyc"],
])("T-03 build output in %s is %s", (path, output) => {
  expect(buildOutputIn(path)).toBe(output);
});

test.each(["src/a.ts", "distance/a.ts", "bin/cli.js", "hidden/impl.js", ".env", "dist", "log.ts", "blog/post.md"])(
  "T-03 %s is no build output",
  (path) => {
    expect(buildOutputIn(path)).toBe(undefined);
  },
);
