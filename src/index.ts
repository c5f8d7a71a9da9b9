export { RalphError, type ErrorDetails, type ErrorKind } from "./domain/error.ts";
