/** The topics of `ralphctl help TOPIC`, in the order of the list. Their texts are loaded on demand. */
export const TOPICS = {
  tasks: "what to do, and where tasks come from",
  specs: "what you want, and how to write it down",
  gates: "what proves that work is done",
  scopes: "workspace, projects, changes, sprints and modules",
  sprints: "a goal, or phases in sequence",
  lanes: "where agents work, and how work comes home",
  harnesses: "which agent does the work, and its models",
  sessions: "what an agent may do, and what it leaves",
  limits: "time, money, attempts",
  hooks: "run something when something happens",
  files: "what is where, and what is committed",
  environment: "variables that ralphctl reads and sets",
  "exit-codes": "how a command ended",
} as const;

export type TopicName = keyof typeof TOPICS;

// The table above has no other keys.
export const TOPIC_NAMES = Object.keys(TOPICS) as readonly TopicName[];

export const isTopic = (word: string | undefined): word is TopicName =>
  word !== undefined && Object.hasOwn(TOPICS, word);
