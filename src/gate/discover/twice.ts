import type { PinnedGate } from "../../domain/gate.ts";
import type { Reach, Reached } from "./reach.ts";
import { checkName, doesAll } from "./same-check.ts";

interface Twice {
  /** The gates that people wrote themselves. */
  readonly own: ReadonlySet<PinnedGate>;
  readonly reach: Reach;
  readonly scripts: ReadonlyMap<string, string>;
}

/** Marks gates whose command another gate runs, too, and those that one of the project's people stands for. */
export function withoutTwice(gates: readonly PinnedGate[], about: Twice): PinnedGate[] {
  const { own, reach } = about;
  return gates.map((gate, index) => {
    const others = gates.filter((one) => one !== gate && one.instead === undefined);
    const isFirst = (one: PinnedGate): boolean => gates.indexOf(one) < index || !runs(gate, one, reach);
    const doer = others.find((one) => runs(one, gate, reach) && isFirst(one));
    const { instead: _, ...rest } = gate;
    if (doer !== undefined) return { ...rest, within: doer.id };
    const other = own.has(gate) ? undefined : others.find((one) => own.has(one) && standsFor(one, gate, about));
    return other === undefined ? gate : { ...gate, instead: other.id };
  });
}

/** Whether a gate runs all commands of another, or more than all that these lead to. */
function runs(doer: PinnedGate, wanted: PinnedGate, reach: Reach): boolean {
  const isDone = (command: Reached): boolean => reach(doer.run).some((one) => doesAll(one, command));
  const [last, lastOfDoer] = [wanted, doer].map(({ run }) => reach(run).filter((one) => one.isLast && !one.isBelow));
  return typed(wanted, reach).every(isDone) || (last!.length <= lastOfDoer!.length && last!.every(isDone));
}

const typed = ({ run }: PinnedGate, reach: Reach): Reached[] => reach(run).filter(({ depth }) => depth === 0);

/** What people wrote is believed to be the usual command of a language, also with other flags or in a loop. */
function standsFor(doer: PinnedGate, wanted: PinnedGate, { reach, scripts }: Twice): boolean {
  // Without the flag cargo tests one package, which is less.
  if (wanted.run.includes("--workspace")) return false;
  const names = new Set(reach(doer.run).map((command) => checkName(command, scripts)));
  const isNamed = (one: Reached): boolean => names.has(checkName(one, scripts));
  const last = reach(wanted.run).filter(({ isLast }) => isLast);
  return typed(wanted, reach).every(isNamed) || (last.length > 0 && last.every(isNamed));
}
