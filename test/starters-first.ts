import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Folders whose tests start no programs, and make much garbage instead. */
const PURE = /\/src\/(?:config|domain|gate|harness|plan|scope|store)\//;

/**
 * Test files that start programs come first: Node copies the page tables of the worker for each of them, which takes
 * longer the more memory earlier files have left in use.
 */
export class StartersFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isPure = ({ moduleId }: TestSpecification): boolean => PURE.test(moduleId);
    return [...sorted.filter((file) => !isPure(file)), ...sorted.filter(isPure)];
  }
}
