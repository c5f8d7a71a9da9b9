import { NOTHING, type Source } from "../source.ts";

/** Rake's default task is what its people type; without a Rakefile the tests themselves. */
export const ruby: Source = async ({ look, names }) => {
  const gemfile = await look.text("Gemfile");
  if (gemfile === undefined) return NOTHING;
  const specs = await Promise.all(names.filter((name) => name.endsWith(".gemspec")).map((name) => look.text(name)));
  const rakefile = (await look.text("Rakefile")) ?? "";
  const gate = (id: string, run: string, at: string) => ({ id, run, script: undefined, at });
  const isRails = await look.has("bin/rails");
  const hasSpecs = names.includes("spec") || names.includes(".rspec");
  const hasDefault = /^\s*task[ (]+(?::default\b|default:|"default")/m.test(rakefile);
  const hasTask = hasDefault || /TestTask|RakeTask|^\s*task[ (]+:?(?:test|spec)\b/m.test(rakefile);
  const tests = isRails
    ? hasSpecs
      ? gate("rspec", "bundle exec rspec", "spec")
      : gate("rails-test", "bin/rails test", "bin/rails")
    : hasDefault
      ? gate("rake", "bundle exec rake", "Rakefile")
      : hasSpecs
        ? gate("rspec", "bundle exec rspec", names.includes(".rspec") ? ".rspec" : "spec")
        : hasTask
          ? gate("rake-test", "bundle exec rake test", "Rakefile")
          : undefined;
  // A default task of rake often has it already.
  const usesRubocop = names.includes(".rubocop.yml") && /rubocop|standard/.test([gemfile, ...specs].join("\n"));
  const isRaked = tests?.id === "rake" && /rubocop|standard/i.test(rakefile);
  return {
    gates: [
      ...(usesRubocop && !isRaked ? [gate("rubocop", "bundle exec rubocop", ".rubocop.yml")] : []),
      ...(tests === undefined ? [] : [tests]),
    ],
  };
};
