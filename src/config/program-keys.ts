import { SANDBOX_CHOICES } from "../domain/sandbox/sandbox.ts";
import { group, key } from "./described-key.ts";
import * as k from "./kinds.ts";

/** What stands around the programs that a run starts. */
export const programKeys = {
  processes: group("Processes.", {
    keep: key(
      "Keep processes that a session left running. Those of gates, and of a run that is killed, always end.",
      k.flag,
      false,
    ),
    namespace: key(
      "Give each session and gate a process namespace (Linux), so that nothing it starts outlives it: `auto` if that changes nothing else, which is as root; `on` also in a user namespace, in which `sudo` does not work; `off`.",
      k.oneOf(["auto", "on", "off"]),
      "auto",
    ),
  }),
  sandbox: group("A sandbox around programs: they read all but secrets, and write only where they work.", {
    agent: key(
      "Around agents; `auto`: what works on this machine. Without it nothing starts.",
      k.oneOf(SANDBOX_CHOICES),
      "off",
    ),
    gates: key("Around gates and set-up; `same`: as around agents.", k.oneOf(["same", ...SANDBOX_CHOICES]), "same"),
    write: key("More paths to write, absolute or `~/…`.", k.lines, []),
    read: key("Paths to read although they are hidden, absolute or `~/…`.", k.lines, []),
    hide: key("More paths to hide, absolute or `~/…`.", k.lines, []),
    image: key("Image for `docker` and `podman`, with the agent in it.", k.unset(k.line), null),
  }),
};
