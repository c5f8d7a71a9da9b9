// One line per format. No two match the same file name.
export { changeTasks } from "./change-tasks.ts";
export { implementationPlan } from "./implementation-plan.ts";
export { prd } from "./prd.ts";
export { sprintProgress } from "./sprint-progress.ts";
