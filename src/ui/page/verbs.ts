import type { ApiVerb } from "../api.ts";

/** U-04: what the button of a verb says and does. */
interface VerbButton {
  readonly label: string;
  readonly meaning: string;
  /** While it is done. */
  readonly busy?: string;
  /** Words that it needs, or a question first; undefined: it is done at once. */
  readonly ask?: {
    readonly title: string;
    readonly text: string;
    readonly yes: string;
    /** What the words are called, and the field of the request that has them. */
    readonly label?: string;
    readonly field?: "reason" | "text" | "question";
    readonly isTextNeeded?: boolean;
    readonly isDangerous?: boolean;
  };
}

/** The verbs about a task or a branch, but `answer` and `comment`, which have fields of their own. */
export const VERBS: Readonly<Partial<Record<ApiVerb, VerbButton>>> = {
  allow: {
    label: "Allow the change",
    meaning: "The kept work is verified again, with this change allowed",
  },
  approve: { label: "Approve", meaning: "You have looked at it: it counts as done" },
  retry: {
    label: "Try again",
    meaning: "It is open again, with all its attempts; what earlier ones found stays in its history",
  },
  reset: {
    label: "Reset…",
    meaning: "Begins it anew, with all its attempts",
    ask: {
      title: "Reset the task?",
      text: "It becomes open again, with all its attempts. What the earlier ones found stays in its history.",
      yes: "Reset",
    },
  },
  park: {
    label: "Park…",
    meaning: "Nobody works on it until a question is answered",
    ask: {
      title: "Park the task?",
      text: "Nobody works on it until the question is answered.",
      yes: "Park",
      label: "The question",
      field: "question",
      isTextNeeded: true,
    },
  },
  drop: {
    label: "Drop…",
    meaning: "Nobody will do it",
    ask: {
      title: "Drop the task?",
      text: "Nobody will do it. Tasks that need it go on without it.",
      yes: "Drop",
      label: "Why (not needed)",
      field: "reason",
      isDangerous: true,
    },
  },
  context: {
    label: "Add context…",
    meaning: "Tells every further iteration something",
    ask: {
      title: "Add context",
      text: "Every iteration that begins after this reads it.",
      yes: "Add it",
      label: "Your words",
      field: "text",
      isTextNeeded: true,
    },
  },
  land: {
    label: "Let the branch follow",
    meaning: "Moves your branch to the work that has landed",
    busy: "It follows; gates may run first…",
  },
};
