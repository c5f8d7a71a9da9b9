// One name per format. No two match the same file name.
export { backlogTask } from "./backlog-task.ts";
export { changeTasks, implementationPlan } from "./checkboxes.ts";
export { prd } from "./prd.ts";
export { sprintProgress } from "./sprint-progress.ts";
