/** Whether this is `npm run test:full`, which plays all there is. `npm test` plays enough to prove each rule. */
export const isFull = process.env["RALPH_FULL"] !== undefined;

/** One for `npm test`, the other for `npm run test:full`: it runs each test file that imports this one. */
export const byLane = <Value>(fast: Value, full: Value): Value => (isFull ? full : fast);
