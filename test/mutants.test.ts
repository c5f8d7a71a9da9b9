import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

interface Mutant {
  readonly name: string;
  readonly rule: string;
  readonly find: string;
  readonly put: string;
  readonly test: string;
}

const listed = parse(readFileSync("test/mutants.yaml", "utf8")) as Readonly<Record<string, readonly Mutant[]>>;
const mutants = Object.entries(listed).flatMap(([file, all]) => all.map((mutant) => ({ file, ...mutant })));

test("each mutant of `npm run mutants` has a name of its own, a text that its file has once, a rule and a test", () => {
  const names = mutants.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  const texts = new Map(Object.keys(listed).map((file) => [file, readFileSync(file, "utf8")]));
  const isFound = ({ file, find, put }: (typeof mutants)[number]): boolean =>
    texts.get(file)!.split(find).length === 2 && find !== put;
  expect(mutants.filter((mutant) => !isFound(mutant)).map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  const isNamed = ({ rule, test: file }: Mutant): boolean =>
    /^(?:[DLPTW]-\d\d|dag-R\d)$/.test(rule) && existsSync(file);
  expect(mutants.filter((mutant) => !isNamed(mutant)).map(({ name }) => name)).toEqual([]);
  expect(mutants.length).toBeGreaterThan(100);
});
