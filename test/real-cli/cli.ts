import type { Failure, ToolCall } from "./wire.ts";

/** A coding agent's CLI as its users install it, and how it is pointed at a model on loopback. */
export interface Cli {
  /** As the catalogue of harnesses calls it. */
  readonly name: string;
  /** How it is started if it speaks ACP: then the name is that of a harness of this kind. */
  readonly acp?: { readonly program: string; readonly args: string };
  /** In the package registry. The version is the one that the catalogue says was tested. */
  readonly package: string;
  readonly version: string;
  readonly title: string;
  /** What the catalogue says about a refused login. */
  readonly help: string;
  /** The first line of Node that it runs on, if that is not the first of ours. */
  readonly node?: number;
  /** Absent: it offers none to choose. */
  readonly model?: string;
  /** One of which the price is known; absent: the same. */
  readonly priced?: string;
  readonly env: (place: Place) => Readonly<Record<string, string>>;
  /** What a subscriber's environment has instead, where that makes a difference to limits. */
  readonly subscription?: Readonly<Record<string, string>>;
  /** Files of a home, by path, that send it to the model and nowhere else. */
  readonly files: (place: Place) => Readonly<Record<string, unknown>>;
  readonly writes: (path: string, text: string) => ToolCall;
  readonly runs: (command: string) => ToolCall;
  readonly refusesLogin: Failure;
  /** Says that a limit ends at this time. */
  readonly limits: (resetsAtMs: number) => Failure;
  /** How long its limit lasts: longer than it tries again by itself. */
  readonly limitMs: number;
  /** It waits for the end of a limit in its session, so that the run sees none. */
  readonly waitsItself?: true;
  /** It tells the end of a limit by the minute or not at all, so that the run may meet it again. */
  readonly isVague?: true;
  readonly isOverloaded: Failure;
  /** Cases that it cannot pass, and why; the table names them. */
  readonly cannot?: Readonly<Record<string, string>>;
  readonly isTooLong: Failure;
  /** A limit that ends in two hours, as a header says. */
  readonly isLimited: Failure;
  /** Before its user has logged in: what is set or there instead. */
  readonly loggedOut: {
    readonly env?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, unknown>>;
    readonly model?: string;
    /** Where it looks for a login. */
    readonly elsewhere?: readonly string[];
  };
  /** What its server says when the bill is not paid, of a place that it does not serve, and with 403. */
  readonly hasNoCredit: Failure;
  readonly isElsewhere: Failure;
  readonly forbids: Failure;
  /** What its server says of a model that does not exist. */
  readonly knowsNoModel: Failure;
}

export interface Place {
  readonly home: string;
  /** The model's. */
  readonly url: string;
}

export const programOf = ({ name, acp }: Cli): string => acp?.program ?? name;
