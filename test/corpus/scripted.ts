import { actions, CI, json, type Repository } from "./repository.ts";

/** PHP, Ruby, Elixir and Deno. */
export const scripted: readonly Repository[] = [
  {
    name: "phoenix: mix, with a package of Node's beside it",
    files: {
      "mix.exs": "defmodule Phoenix.MixProject do\nend\n",
      "mix.lock": "%{}",
      ".formatter.exs": "[]",
      "assets/package.json": json({ scripts: { test: "jest" } }),
      [CI]: actions({
        mix_test: [
          "mix deps.get --only test",
          "mix compile --warnings-as-errors",
          "mix test",
          "cd installer\nmix test",
        ],
        npm_test: ["cd assets\nnpm install\nnpm test"],
        "integration-test": {
          steps: [{ run: "mix test --include database", "working-directory": "integration_test" }],
          services: { postgres: { image: "postgres" }, mysql: { image: "mysql" } },
        },
      }),
    },
    expected: {
      gates: ["mix format --check-formatted", "mix compile --warnings-as-errors", "mix test"],
      setup: "mix deps.get",
      uncovered: [
        "cd installer && mix test",
        "cd assets && npm test",
        "cd integration_test && mix test --include database",
      ],
      services: ["postgres", "mysql"],
      programs: ["mix"],
    },
  },
  {
    name: "laravel-permission: a package of Laravel, tests by a script of composer",
    files: {
      "composer.json": json({
        "require-dev": { "pestphp/pest": "^3", "laravel/pint": "^1", "larastan/larastan": "^3" },
        scripts: {
          test: "pest",
          format: "pint",
          analyse: "echo Checking dependencies... && vendor/bin/phpstan analyse",
        },
      }),
      "phpunit.xml.dist": "",
      "phpstan.neon.dist": "",
      ".github/workflows/run-tests.yml": actions({ test: ["composer update --prefer-stable", "vendor/bin/pest"] }),
      ".github/workflows/fix-php-code-style-issues.yml": actions({
        style: { steps: [{ uses: "aglipanci/laravel-pint-action@v2" }] },
      }),
    },
    expected: {
      gates: ["composer run-script analyse", "composer run-script test"],
      leftOut: ["composer run-script format: it changes files (pint)"],
      programs: ["composer"],
    },
  },
  {
    name: "monolog: the usual tools without scripts",
    files: {
      "composer.json": json({ "require-dev": { "phpunit/phpunit": "^10", "phpstan/phpstan": "^2" } }),
      "composer.lock": "{}",
      "phpunit.xml.dist": "",
      "phpstan.neon.dist": "",
      [CI]: actions({ tests: ["composer install", "vendor/bin/phpunit --exclude-group Elasticsearch"] }),
    },
    expected: {
      gates: ["vendor/bin/phpstan analyse", "vendor/bin/phpunit"],
      setup: "composer install --no-interaction",
      programs: ["composer", "php"],
    },
  },
  {
    name: "rack: a gem with a default task of rake",
    files: {
      Gemfile: 'source "https://rubygems.org"\ngemspec\n',
      "rack.gemspec": 'spec.add_development_dependency "minitest"\n',
      Rakefile: 'desc "Run all the tests"\ntask default: :test\n',
      ".rubocop.yml": "",
      ".github/workflows/test.yaml": actions({ test: ["bundle exec rake"] }),
    },
    expected: { gates: ["bundle exec rake"], programs: ["bundle"] },
  },
  {
    name: "devise: rubocop beside rspec",
    files: {
      Gemfile: 'gem "rspec"\ngem "rubocop", require: false\n',
      "Gemfile.lock": "",
      ".rspec": "--require spec_helper\n",
      ".rubocop.yml": "",
      "spec/a_spec.rb": "",
      [CI]: actions({ test: ["bundle exec rspec", "bundle exec rubocop"] }),
    },
    expected: { gates: ["bundle exec rspec", "bundle exec rubocop"], setup: "bundle install", programs: ["bundle"] },
  },
  {
    name: "a Rails application",
    files: {
      Gemfile: 'gem "rails"\ngem "rubocop-rails-omakase", require: false\n',
      "Gemfile.lock": "",
      "bin/rails": "",
      Rakefile: 'require_relative "config/application"\nRails.application.load_tasks\n',
      ".rubocop.yml": "",
      [CI]: actions({
        scan_ruby: ["bin/brakeman --no-pager"],
        lint: ["bin/rubocop -f github"],
        test: { steps: ["bin/rails db:test:prepare test test:system"], services: { postgres: { image: "postgres" } } },
      }),
    },
    expected: {
      gates: ["bundle exec rubocop", "bin/rails test"],
      setup: "bundle install",
      uncovered: ["bin/brakeman --no-pager"],
      services: ["postgres"],
      programs: ["bundle", "ruby"],
    },
  },
  {
    name: "oak: Deno with tasks, and with the checks of CI",
    files: {
      "deno.json": json({ tasks: { test: "deno test --allow-net --allow-read", build: "deno run _build_npm.ts" } }),
      [CI]: actions({ test: ["deno fmt --check", "deno lint", "deno task test"] }),
    },
    expected: { gates: ["deno fmt --check", "deno lint", "deno task build", "deno task test"], programs: ["deno"] },
  },
  {
    name: "a package of Deno without tasks",
    files: { "deno.jsonc": '{\n  // a comment\n  "name": "@x/y",\n}\n', "mod_test.ts": "" },
    expected: { gates: ["deno test"], programs: ["deno"] },
  },
];
