import { actions, CI, json, NPM_CI, PNPM, type Repository, YARN } from "./repository.ts";

const pack = (name: string, scripts: object = {}): string => json({ name, scripts });

/** Several packages of Node's in one repository. */
export const workspaces: readonly Repository[] = [
  {
    name: "vue/core: pnpm, scripts of the top package only",
    files: {
      "package.json": json({
        packageManager: "pnpm@10.30.2",
        scripts: {
          dev: "node scripts/dev.js",
          build: "node scripts/build.js",
          "build-dts": "tsc -p tsconfig.build.json --noCheck && rollup -c rollup.dts.config.js",
          check: "tsc --incremental --noEmit",
          lint: "eslint --cache .",
          format: "prettier --write --cache .",
          "format-check": "prettier --check --cache .",
          test: "vitest",
          "test-unit": "vitest --project unit*",
          "test-e2e": "node scripts/build.js vue -f global -d && vitest --project e2e",
          "test-dts": "run-s build-dts test-dts-only",
          "test-dts-only": "tsc -p packages-private/dts-test/tsconfig.test.json",
        },
      }),
      "pnpm-lock.yaml": "",
      "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n",
      "packages/reactivity/package.json": pack("@vue/reactivity"),
      "packages/vue/package.json": pack("vue"),
      ".github/workflows/test.yml": actions(
        {
          "unit-test": ["pnpm install", "pnpm run test-unit"],
          "e2e-test": ["pnpm install", "pnpm run test-e2e"],
          "lint-and-test-dts": [
            "pnpm install",
            "pnpm run lint",
            "pnpm run format-check",
            "pnpm run check",
            "pnpm run test-dts",
          ],
        },
        { push: { branches: ["**"], tags: ["!**"] }, pull_request: { branches: ["main"] } },
      ),
    },
    expected: {
      gates: [
        "CI=1 pnpm run lint",
        "CI=1 pnpm run format-check",
        "CI=1 pnpm run check",
        "CI=1 pnpm run build",
        "CI=1 pnpm run test",
      ],
      setup: PNPM,
      uncovered: ["pnpm run test-e2e", "pnpm run test-dts"],
      programs: ["pnpm"],
    },
  },
  {
    name: "vite: the test script calls its parts, which are not run twice",
    files: {
      "package.json": json({
        packageManager: "pnpm@10.4.1",
        scripts: {
          preinstall: "npx only-allow pnpm",
          format: "prettier --write --cache .",
          lint: "eslint --cache .",
          typecheck: "tsc -p scripts --noEmit && pnpm -r --parallel run typecheck",
          test: "pnpm test-unit && pnpm test-serve && pnpm test-build",
          "test-serve": "vitest run -c vitest.config.e2e.ts",
          "test-build": "VITE_TEST_BUILD=1 vitest run -c vitest.config.e2e.ts",
          "test-unit": "vitest run",
          build: "pnpm -r --filter='./packages/*' run build",
          dev: "pnpm -r --parallel --filter='./packages/*' run dev",
        },
      }),
      "pnpm-lock.yaml": "",
      "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - 'playground/**'\n",
      "packages/vite/package.json": pack("vite", { build: "tsdown", typecheck: "tsc --noEmit", dev: "tsdown --watch" }),
      [CI]: actions({
        test: ["pnpm install", "pnpm run build", "pnpm run test-unit", "pnpm run test-serve", "pnpm run test-build"],
        lint: [
          "pnpm install",
          "pnpm run build",
          "pnpm run lint",
          "pnpm prettier --write --log-level=warn . && git diff --exit-code",
          "pnpm run typecheck",
        ],
      }),
    },
    expected: {
      gates: ["CI=1 pnpm run build", "CI=1 pnpm run lint", "CI=1 pnpm run typecheck", "CI=1 pnpm run test"],
      setup: PNPM,
      leftOut: ["CI=1 pnpm run format: it changes files (--write)"],
      programs: ["pnpm"],
    },
  },
  {
    name: "turborepo's starter: the tasks of turbo",
    files: {
      "package.json": json({
        packageManager: "npm@10.2.0",
        workspaces: ["apps/*", "packages/*"],
        scripts: {
          build: "turbo run build",
          dev: "turbo run dev",
          lint: "turbo run lint",
          format: 'prettier --write "**/*.{ts,tsx,md}"',
          "check-types": "turbo run check-types",
        },
      }),
      "turbo.json": json({ tasks: { build: {}, lint: {}, "check-types": {}, test: {}, dev: { persistent: true } } }),
      "package-lock.json": "{}",
      "apps/web/package.json": pack("web", {
        dev: "next dev",
        build: "next build",
        lint: "next lint",
        "check-types": "tsc --noEmit",
      }),
      "packages/ui/package.json": pack("@repo/ui", { lint: "eslint .", test: "vitest run" }),
    },
    expected: {
      gates: [
        "CI=1 npm run check-types",
        "CI=1 npm run lint",
        "CI=1 npx --no-install turbo run test",
        "CI=1 npm run build",
      ],
      setup: NPM_CI,
      leftOut: ["CI=1 npm run format: it changes files (--write)"],
      programs: ["npm", "npx"],
    },
  },
  {
    name: "nx: no scripts at the top, targets of the packages",
    files: {
      "package.json": json({ workspaces: ["packages/*"], scripts: {} }),
      "nx.json": json({ targetDefaults: { build: { dependsOn: ["^build"] } } }),
      "package-lock.json": "{}",
      "packages/a/package.json": pack("a", { build: "tsc -b", lint: "eslint .", test: "jest" }),
      "packages/b/package.json": pack("b", { build: "tsc -b", test: "jest" }),
      [CI]: actions({ main: ["npm ci", "npx nx affected -t lint test build"] }),
    },
    expected: {
      gates: [
        "CI=1 npx --no-install nx run-many --target=lint",
        "CI=1 npx --no-install nx run-many --target=test",
        "CI=1 npx --no-install nx run-many --target=build",
      ],
      setup: NPM_CI,
      programs: ["npm", "npx"],
    },
  },
  {
    name: "npm workspaces without scripts at the top: each package, build first",
    files: {
      "package.json": json({ workspaces: ["packages/*"] }),
      "package-lock.json": "{}",
      "packages/core/package.json": pack("core", { build: "tsc", test: "node --test" }),
      "packages/cli/package.json": pack("cli", { build: "tsc", test: "node --test", lint: "eslint . --fix" }),
    },
    expected: {
      gates: ["CI=1 npm run build --workspaces --if-present", "CI=1 npm run test --workspaces --if-present"],
      setup: NPM_CI,
      leftOut: ["CI=1 npm run lint --workspaces --if-present: it changes files (--fix)"],
      programs: ["npm"],
    },
  },
  {
    name: "pnpm workspace whose linter fixes below the top",
    files: {
      "package.json": json({ scripts: { lint: "pnpm -r lint", test: "pnpm -r test", build: "pnpm -r build" } }),
      "pnpm-lock.yaml": "",
      "pnpm-workspace.yaml": "packages: ['packages/*']\n",
      "packages/a/package.json": pack("a", { lint: "biome lint --write .", test: "vitest run", build: "tsdown" }),
      "packages/b/package.json": pack("b", { lint: "biome lint .", test: "vitest run" }),
    },
    expected: {
      gates: ["CI=1 pnpm run build", "CI=1 pnpm run test"],
      setup: PNPM,
      leftOut: ["CI=1 pnpm run lint: it changes files (--write)"],
      programs: ["pnpm"],
    },
  },
  {
    name: "babel: make beside yarn workspaces, and make runs the scripts",
    files: {
      "package.json": json({
        packageManager: "yarn@4.6.0",
        workspaces: ["packages/*"],
        scripts: { build: "make build", lint: "make lint", test: "make test", fix: "make fix" },
      }),
      "yarn.lock": "",
      Makefile:
        ".PHONY: build lint test fix\nbuild:\n\tyarn gulp build\nlint:\n\tyarn eslint scripts packages --format=codeframe\nfix:\n\tyarn eslint packages --fix\ntest: lint test-only\ntest-only:\n\tyarn jest\n",
      "packages/core/package.json": pack("@babel/core"),
    },
    expected: {
      gates: ["CI=1 yarn run build", "CI=1 yarn run test"],
      setup: "yarn install --immutable",
      programs: ["yarn"],
    },
  },
  {
    name: "lerna with yarn 1: a script that not every package has",
    files: {
      "package.json": json({ private: true, workspaces: { packages: ["packages/*"] }, scripts: { lint: "eslint ." } }),
      "yarn.lock": "",
      "lerna.json": "{}",
      "packages/a/package.json": pack("a", { test: "jest", build: "tsc" }),
      "packages/b/package.json": pack("b", { build: "tsc" }),
    },
    expected: {
      gates: ["CI=1 yarn run lint", "CI=1 yarn workspaces run build"],
      setup: YARN,
      leftOut: ["yarn workspaces run test: yarn 1 runs a script in all packages only if each of them has it"],
      programs: ["yarn"],
    },
  },
  {
    name: "bun workspaces",
    files: {
      "package.json": json({ workspaces: ["packages/*"], scripts: { typecheck: "tsc --noEmit" } }),
      "bun.lock": "",
      "packages/a/package.json": pack("a", { test: "bun test" }),
    },
    expected: {
      gates: ["CI=1 bun run typecheck", "CI=1 bun run --filter '*' test"],
      setup: "bun install --frozen-lockfile",
      programs: ["bun"],
    },
  },
  {
    name: "TanStack/query: nx for what changed at home, and for everything in CI",
    files: {
      "package.json": json({
        packageManager: "pnpm@10.24.0",
        scripts: {
          test: "pnpm run test:ci",
          "test:pr": "nx affected --targets=test:knip,test:lib,test:types,build",
          "test:ci": "nx run-many --targets=test:knip,test:lib,test:types,build",
          "test:lib": "nx affected --target=test:lib --exclude=examples/**",
          "test:types": "nx affected --target=test:types --exclude=examples/**",
          build: "nx affected --target=build --exclude=examples/**",
          format: "prettier --ignore-unknown '**/*' --write",
        },
      }),
      "nx.json": "{}",
      "pnpm-lock.yaml": "",
      "pnpm-workspace.yaml": "packages: ['packages/*']\n",
      "packages/core/package.json": pack("core", { "test:lib": "vitest", "test:types": "tsc", build: "tsup" }),
      ".github/workflows/pr.yml": actions({ test: ["pnpm run test:pr"] }, { pull_request: {} }),
    },
    expected: {
      gates: ["CI=1 pnpm run test"],
      setup: PNPM,
      leftOut: [
        "CI=1 pnpm run test:types: it checks only what git says is changed (nx affected); CI=1 pnpm exec nx run-many --target=test:types --exclude=examples/** runs instead",
        "CI=1 pnpm run format: it changes files (--write)",
        "CI=1 pnpm run build: it checks only what git says is changed (nx affected); CI=1 pnpm exec nx run-many --target=build --exclude=examples/** runs instead",
      ],
      programs: ["pnpm"],
    },
  },
  {
    name: "a workspace whose check runs several tasks of turbo, and whose scripts look at changes only",
    files: {
      "package.json": json({
        packageManager: "yarn@1.22.0",
        workspaces: ["packages/*"],
        scripts: {
          check: "turbo run lint build",
          lint: "turbo run lint",
          build: "yarn turbo run build --affected",
          test: "jest --changedSince=main",
          precommit: "lint-staged",
          "format:check": "pretty-quick --check",
        },
      }),
      "turbo.json": json({ tasks: { lint: {}, build: {} } }),
      "yarn.lock": "",
      "packages/a/package.json": pack("a", { lint: "eslint .", build: "tsc" }),
    },
    expected: {
      gates: ["CI=1 yarn run check", "CI=1 yarn run jest"],
      setup: YARN,
      leftOut: [
        "CI=1 yarn run format:check: it checks only what git says is changed (pretty-quick)",
        "CI=1 yarn run test: it checks only what git says is changed (--changedSince=main); CI=1 yarn run jest runs instead",
        "CI=1 yarn run build: it checks only what git says is changed (--affected); CI=1 yarn run turbo run build runs instead",
      ],
      programs: ["yarn"],
    },
  },
];
