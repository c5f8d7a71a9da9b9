import type { ComponentChildren } from "preact";
import { printable, printableLine } from "../../domain/printable.ts";
import { ToneMark } from "./mark.tsx";
import { Table } from "./table.tsx";
import type { Tone } from "./tone.ts";

/** A gate that ran for a claim. */
export interface GateEvidence {
  readonly gate: string;
  readonly command: string;
  /** Undefined: it did not finish. */
  readonly passed: boolean | undefined;
  /** How it ended, how long that took. */
  readonly words: string;
  /** The end of what it printed. */
  readonly output: string;
}

/** A text that scrolls, by keys as well. `isTail`: what matters is at its end, so its end is seen first. */
export const Scrolled = ({ text, label, isTail = false }: { text: string; label: string; isTail?: boolean }) => (
  <pre class={isTail ? "tail" : undefined} tabIndex={0} role="group" aria-label={printableLine(label)}>
    {printable(text)}
  </pre>
);

export const GatePart = ({ gate, children }: { gate: GateEvidence; children?: ComponentChildren }) => {
  const tone: Tone = gate.passed === undefined ? "warn" : gate.passed ? "good" : "bad";
  return (
    <div class="gate">
      <p>
        Gate <b>{printableLine(gate.gate)}</b>{" "}
        <span class={tone}>
          <ToneMark tone={tone} />
          {printableLine(gate.words)}
        </span>
        {gate.command !== "" && (
          <>
            <br />
            <code>{printableLine(gate.command)}</code>
          </>
        )}
      </p>
      {gate.output.trim() !== "" && <Scrolled text={gate.output} label={`Output of gate ${gate.gate}`} isTail />}
      {children}
    </div>
  );
};

/** What is known of an attempt: facts, gates with their output, what a person should look at, and broken rules. */
export const Evidence = ({
  facts,
  gates,
  look,
  notes,
}: {
  facts: readonly (readonly [name: string, value: string | undefined])[];
  gates: readonly GateEvidence[];
  look?: string | undefined;
  notes: readonly string[];
}) => (
  <>
    <Table
      columns={["", { long: "" }]}
      rows={facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))}
    />
    {gates.map((gate) => (
      <GatePart gate={gate} />
    ))}
    {look !== undefined && (
      <>
        <p>Look at this change:</p>
        <Scrolled text={look} label="The change to look at" />
      </>
    )}
    {notes.map((note) => (
      <p class="warn">Protocol violation: {printableLine(note)}</p>
    ))}
  </>
);
