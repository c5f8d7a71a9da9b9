// Loaded from the program by the library, which has no commands of its own.
export { answerSession } from "./cli/answer-session.ts";
