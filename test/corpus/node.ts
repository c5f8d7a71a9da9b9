import { actions, CI, json, NPM_CI, PNPM, type Repository, YARN } from "./repository.ts";

/** One package of Node's. */
export const node: readonly Repository[] = [
  {
    name: "express: mocha with a script of its own for CI, no lock file",
    files: {
      "package.json": json({
        name: "web",
        scripts: {
          lint: "eslint .",
          test: "mocha --require test/support/env --reporter spec --check-leaks test/ test/acceptance/",
          "test-ci": "nyc --exclude examples --reporter=lcovonly npm test",
          "test-cov": "nyc --reporter=html npm test",
          "test-tap": "mocha --require test/support/env --reporter tap test/",
        },
      }),
      [CI]: actions({
        lint: ["npm install --ignore-scripts --include=dev", "npm run lint"],
        test: ["npm install", "npm run test-ci", "cp coverage/lcov.info out"],
      }),
    },
    expected: { gates: ["CI=1 npm run lint", "CI=1 npm run test"], programs: ["npm"] },
  },
  {
    name: "fastify: the test script runs linters, units and types",
    files: {
      "package.json": json({
        scripts: {
          build: "node build/build-validation.js",
          lint: "npm run lint:eslint",
          "lint:eslint": "eslint",
          "lint:fix": "eslint --fix",
          "lint:markdown": "markdownlint-cli2",
          test: "npm run lint && npm run unit && npm run test:typescript",
          "test:ci": "npm run unit && npm run test:typescript",
          "test:typescript": "tsc test/types/import.ts --target es2022 --noEmit && tsd",
          unit: "borp",
          "unit:junit": "borp --reporter spec",
        },
      }),
      [CI]: actions({
        lint: ["npm install --ignore-scripts", "npm run lint"],
        "test-unit": ["npm install --ignore-scripts", "npm run unit"],
        "test-typescript": ["npm install --ignore-scripts", "npm run test:typescript"],
        "lint-md": ["npm run lint:markdown"],
      }),
    },
    expected: {
      gates: ["CI=1 npm run test", "CI=1 npm run build"],
      uncovered: ["npm run lint:markdown"],
      programs: ["npm"],
    },
  },
  {
    name: "zod 3: check runs the checking siblings of both linters",
    files: {
      "package.json": json({
        scripts: {
          "prettier:check": "prettier --check src/**/*.ts",
          "prettier:fix": "prettier --write src/**/*.ts",
          "lint:check": "eslint --ext .ts ./src",
          "lint:fix": "eslint --fix --ext .ts ./src",
          check: "yarn lint:check && yarn prettier:check",
          fix: "yarn lint:fix && yarn prettier:fix",
          build: "yarn run clean && tsc -p tsconfig.cjs.json && rollup --config",
          clean: "rm -rf lib/*",
          test: "jest --coverage",
        },
      }),
      "yarn.lock": "",
      [CI]: actions({ test: ["yarn install", "yarn build", "yarn test"], lint: ["yarn install", "yarn check"] }),
    },
    expected: {
      gates: ["CI=1 yarn run check", "CI=1 yarn run build", "CI=1 yarn run test"],
      setup: YARN,
      programs: ["yarn"],
    },
  },
  {
    name: "hono: format is a check, and CI says the order",
    files: {
      "package.json": json({
        scripts: {
          test: "tsc --noEmit && vitest --run",
          "test:bun": "bun test --jsx-import-source ../../src/jsx runtime-tests/bun/",
          "test:node": "vitest --run --project node",
          lint: "eslint src runtime-tests build",
          "lint:fix": "eslint src runtime-tests build --fix",
          format: "prettier --check --cache src",
          "format:fix": "prettier --write --cache src",
          build: "bun run --shell bun remove-private-fields && bun ./build/build.ts",
          watch: "bun ./build/build.ts --watch",
        },
      }),
      "bun.lock": "",
      [CI]: actions({
        main: ["bun install", "bun run format", "bun run lint", "bun run build", "bun run test"],
        bun: ["bun install", "bun run test:bun"],
        node: ["bun install", "bun run build", "bun run test:node"],
        autofix: ["bun run format:fix"],
        "bun-windows": { steps: ["bun run test:windows"], "runs-on": "windows-latest" },
      }),
    },
    expected: {
      gates: ["CI=1 bun run format", "CI=1 bun run lint", "CI=1 bun run build", "CI=1 bun run test"],
      setup: "bun install --frozen-lockfile",
      uncovered: ["bun run test:bun", "bun run test:node"],
      programs: ["bun"],
    },
  },
  {
    name: "a project of biome whose linter fixes",
    files: {
      "package.json": json({ scripts: { lint: "biome lint --write .", test: "vitest run", dev: "vite" } }),
      "biome.json": "{}",
      "package-lock.json": "{}",
    },
    expected: {
      gates: ["CI=1 npx --no-install biome lint .", "CI=1 npm run test"],
      setup: NPM_CI,
      leftOut: ["CI=1 npm run lint: it changes files (--write); CI=1 npx --no-install biome lint . runs instead"],
      programs: ["npm", "npx"],
    },
  },
  {
    name: "a project of biome that checks in CI and fixes at home",
    files: {
      "package.json": json({
        packageManager: "pnpm@9.12.0",
        scripts: {
          check: "biome check --write",
          "check:ci": "biome ci",
          "check-types": "tsc --noEmit",
          test: "vitest",
          prepare: "lefthook install",
        },
      }),
      "pnpm-lock.yaml": "",
      [CI]: actions({ ci: ["pnpm install", "pnpm check:ci", "pnpm check-types", "pnpm test"] }),
    },
    expected: {
      gates: ["CI=1 pnpm run check:ci", "CI=1 pnpm run check-types", "CI=1 pnpm run test"],
      setup: PNPM,
      leftOut: ["CI=1 pnpm run check: it changes files (--write); check:ci runs instead"],
      programs: ["pnpm"],
    },
  },
  {
    name: "create-react-app: watch mode that ends in CI, no linter",
    files: {
      "package.json": json({
        scripts: {
          start: "react-scripts start",
          build: "react-scripts build",
          test: "react-scripts test",
          eject: "react-scripts eject",
        },
      }),
      "package-lock.json": "{}",
    },
    expected: { gates: ["CI=1 npm run test", "CI=1 npm run build"], setup: NPM_CI, programs: ["npm"] },
  },
  {
    name: "next.js application: dev servers are no gates, prettier only writes",
    files: {
      "package.json": json({
        scripts: {
          dev: "next dev --turbo",
          build: "next build",
          start: "next start",
          lint: "next lint",
          "type-check": "tsc --noEmit",
          format: "prettier --write .",
          test: "jest --watch",
          "test:ci": "jest --ci",
        },
      }),
      "package-lock.json": "{}",
      ".github/workflows/release.yml": actions({ release: ["npm run publish-all"] }),
    },
    expected: {
      gates: ["CI=1 npm run type-check", "CI=1 npm run lint", "CI=1 npm run test:ci", "CI=1 npm run build"],
      setup: NPM_CI,
      leftOut: [
        "CI=1 npm run format: it changes files (--write)",
        "CI=1 npm run test: it does not end by itself (--watch); test:ci runs instead",
      ],
      programs: ["npm"],
    },
  },
  {
    name: "a library whose tests need the build",
    files: {
      "package.json": json({
        main: "dist/index.js",
        scripts: {
          build: "tsup src/index.ts",
          test: "node --test dist/index.test.js",
          lint: "eslint . --fix && tsc --noEmit",
        },
      }),
      "package-lock.json": "{}",
    },
    expected: {
      gates: [
        "CI=1 npx --no-install eslint . && CI=1 npx --no-install tsc --noEmit",
        "CI=1 npm run build",
        "CI=1 npm run test",
      ],
      setup: NPM_CI,
      leftOut: [
        "CI=1 npm run lint: it changes files (--fix); CI=1 npx --no-install eslint . && CI=1 npx --no-install tsc --noEmit runs instead",
      ],
      programs: ["npm", "npx"],
    },
  },
  {
    name: "a linter that fixes behind a pre script and a call, in ways that nobody can undo for certain",
    files: {
      "package.json": json({
        scripts: {
          prelint: "npm run fix",
          fix: "prettier --write src",
          lint: "eslint src",
          test: "npm run fix && mocha",
          "test:unit": "mocha",
          build: "tsc -w",
        },
      }),
    },
    expected: {
      gates: ["CI=1 npm run test:unit"],
      leftOut: [
        "CI=1 npm run lint: it changes files (--write)",
        "CI=1 npm run test: it changes files (--write); test:unit runs instead",
        "CI=1 npm run build: it does not end by itself (-w)",
      ],
      programs: ["npm"],
    },
  },
  {
    name: "yarn 4 runs no pre scripts, so the linter is a gate of its own",
    files: {
      "package.json": json({
        packageManager: "yarn@4.5.0",
        scripts: {
          pretest: "yarn lint",
          lint: "eslint .",
          test: "jest",
          typecheck: "tsc",
          build: "rollup -c",
          "test:integration": "jest -c integration",
        },
      }),
      "yarn.lock": "",
      ".yarnrc.yml": "nodeLinker: node-modules\n",
      ".gitlab-ci.yml":
        "stages: [test]\nunit:\n  script:\n    - yarn install\n    - yarn build\n    - yarn test\nintegration:\n  services:\n    - postgres:16\n    - name: registry.example.com/tools/redis:7\n  script: yarn test:integration\n",
    },
    expected: {
      gates: ["CI=1 yarn run typecheck", "CI=1 yarn run lint", "CI=1 yarn run build", "CI=1 yarn run test"],
      setup: "yarn install --immutable",
      uncovered: ["yarn test:integration"],
      services: ["postgres", "redis"],
      programs: ["yarn"],
    },
  },
];
