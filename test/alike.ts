/** What a run printed, without what differs from run to run. */
export const alike = (text: string): string =>
  text
    .replaceAll(/r-\d{8}-\d{6}-[0-9a-f]{4}/g, "RUN")
    .replaceAll(/\bt-[0-9a-f]{8}\b/g, "TASK")
    .replaceAll(/\b[0-9a-f]{10}\b/g, "COMMIT")
    .replaceAll(/\d\d:\d\d:\d\d/g, "TIME")
    .replaceAll(/\b\d+(?:\.\d)?s\b/g, "0s")
    .replaceAll(/\(\/\S+\/\d+\)/g, "(LANE)")
    .replaceAll(/\S*\/ralphctl-demo-\w+/g, "FOLDER");
