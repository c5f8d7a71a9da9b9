import type { PinnedGate } from "../../domain/gate.ts";
import type { Project } from "../source.ts";
import type { Written } from "./reach.ts";
import { checkName } from "./same-check.ts";

/** Linters of a language come before the first tests. What people wrote keeps its order. */
export function quickFirst(gates: readonly PinnedGate[], own: ReadonlySet<PinnedGate>): PinnedGate[] {
  const isTests = ({ id }: PinnedGate): boolean => TESTS.test(id);
  const at = gates.findIndex((gate) => isTests(gate) || gate.id === "build");
  const isQuick = (gate: PinnedGate): boolean => !own.has(gate) && !isTests(gate);
  if (at < 0) return [...gates];
  const later = gates.slice(at);
  return [...gates.slice(0, at), ...later.filter(isQuick), ...later.filter((gate) => !isQuick(gate))];
}

const TESTS =
  /test|^(?:make-|composer-|deno-)?check$|^(?:pytest|maven|gradle|tox|nox|hatch|pest|phpunit|rspec|rake|build|make)$|-build$/;

/** The order of CI between gates of one job. Jobs side by side have none. */
export function inCiOrder(gates: readonly PinnedGate[], { ci, reach }: Project, { scripts }: Written): PinnedGate[] {
  const names = new Map(
    gates.map((gate) => [gate, checkName(reach(gate.run)[0] ?? { words: [], folder: "" }, scripts)]),
  );
  // The first job has the last word.
  return ci.toReversed().reduce<PinnedGate[]>(
    (sorted, { steps }) => {
      const order = steps
        .filter(({ folder }) => folder === "" || folder === ".")
        .flatMap(({ text }) => reach(text).map((command) => checkName(command, scripts)));
      const rank = (gate: PinnedGate): number =>
        (gate.within ?? gate.instead) === undefined ? order.indexOf(names.get(gate)!) : -1;
      const inJob = sorted.filter((gate) => rank(gate) >= 0).toSorted((a, b) => rank(a) - rank(b));
      return sorted.map((gate) => (rank(gate) >= 0 ? inJob.shift()! : gate));
    },
    [...gates],
  );
}
