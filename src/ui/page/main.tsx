import { render } from "preact";
import { arrive, isKnown } from "./client.ts";
import { startClock } from "./clock.ts";
import { startKeys } from "./keys.ts";
import { live } from "./live.ts";
import { startNotices } from "./notify.tsx";
import { arriveAt } from "./route.ts";
import { Shell, nameOf } from "./shell.tsx";
import { reconnect, startStream } from "./stream.ts";

function follow(): void {
  const before = location.hash;
  const wasKnown = isKnown.value;
  if (before.startsWith("#token=")) arrive();
  arriveAt(location.hash);
  if (!wasKnown && isKnown.value) reconnect();
}

arrive();
follow();
globalThis.addEventListener("hashchange", follow);
startClock();
startKeys();
startNotices(() => nameOf(live.value?.record.summary.started?.folder ?? ""));
startStream();
const app = document.querySelector("#app")!;
// The words that stood there until now.
app.replaceChildren();
render(<Shell />, app);
