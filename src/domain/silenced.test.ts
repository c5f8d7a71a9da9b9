import { expect, test } from "vitest";
import { withoutSilence } from "./silenced.ts";

test.each([
  "// @ts-nocheck",
  "/* eslint-disable */",
  "/* eslint-disable no-var */",
  "# mypy: ignore-errors",
  "# type: ignore",
  "# ruff: noqa",
  "# pylint: skip-file",
  "// biome-ignore-all lint: old",
  "/* istanbul ignore file */",
  "#![allow(warnings)]",
  "# rubocop:disable all",
])("T-10 a file that a checker leaves out is checked without that comment: %s", (line) => {
  const found = [withoutSilence("a\n", `${line}\nb\n`), withoutSilence(`${line}\na\n`, `${line}\nb\n`)];
  expect(found).toEqual(["b\n", undefined]);
});

test.each([
  "// eslint-disable-next-line no-var",
  "const a = 1; // eslint-disable-line",
  "a = b  # type: ignore",
  "import a  # noqa: F401",
  "#![allow(dead_code)]",
  "// NOLINTNEXTLINE(x)",
  "text about eslint-disable",
])("T-10 a comment about one line stays: %s", (line) => {
  expect(withoutSilence("a\n", `${line}\n`)).toBeUndefined();
});
