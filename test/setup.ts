// Runs before each test file.
import { runEndsAfterFile } from "./at-end.ts";

runEndsAfterFile();
