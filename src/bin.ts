#!/usr/bin/env node
import { keepPrivate } from "./app/private-process.ts";
import { main } from "./cli/main.ts";
import { processIo } from "./cli/process-io.ts";

keepPrivate(process);
// The exit code is set, not forced: what was printed into a pipe must still get out.
void main(process.argv.slice(2), processIo(process)).then((code) => (process.exitCode = code));
