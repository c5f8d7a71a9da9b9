import { cutEnd } from "./prompt/cut.ts";
import { printableLine } from "./printable.ts";

/**
 * What a CLI answers to a tool that its settings do not allow, in one line; undefined: the tool failed otherwise. A file
 * that may not be read ("Permission denied") is none of these.
 */
export function deniedTool(output: string): string | undefined {
  const line = output.split("\n").find((one) => DENIED.test(one));
  return line === undefined
    ? undefined
    : cutEnd(printableLine(line.replaceAll(/<\/?tool_use_error>/g, "").trim()), 200);
}

const DENIED = new RegExp(
  [
    "permission to use .{1,200} (?:has been|was) denied",
    "no such tool available",
    "(?:rejected|refused|declined) permission to use|permission was (?:declined|rejected|refused)",
    "rule which prevents you from using",
    "denied by (?:policy|a rule|permission|your? settings|the (?:policy|user|settings))",
    "could not request permission",
  ].join("|"),
  "i",
);
