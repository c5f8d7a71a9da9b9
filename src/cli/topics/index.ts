/** What `ralphctl help TOPIC` explains beside the commands, in the order of the list. Texts are loaded when asked for. */
export const TOPICS = {
  tasks: "what is to be done, and where tasks come from",
  specs: "what you want, and how to write it down",
  gates: "what proves that work is done",
  scopes: "workspace, projects, changes, sprints and modules",
  sprints: "goals, or phases in sequence",
  harnesses: "which agent does the work, and its models",
  sessions: "what an agent may do, and what it leaves",
  limits: "what bounds a run: time, money, attempts",
  hooks: "what runs beside the loop",
  files: "what is where, and what is committed",
  environment: "variables that are read and set",
  "exit-codes": "how a command ended",
} as const;

export type TopicName = keyof typeof TOPICS;

// The table above has no other keys.
export const TOPIC_NAMES = Object.keys(TOPICS) as readonly TopicName[];

export const isTopic = (word: string | undefined): word is TopicName =>
  word !== undefined && Object.hasOwn(TOPICS, word);
