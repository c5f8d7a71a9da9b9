import type { SandboxKind } from "./sandbox.ts";

/** What can be seen of a machine on which a sandbox did not start. */
export interface MachineLook {
  readonly platform: string;
  readonly isRoot: boolean;
  readonly hasProgram: boolean;
  /** What the program said. */
  readonly said: string;
  /** Ubuntu's switch: only programs with a profile of AppArmor's get a user namespace. */
  readonly isRestricted: boolean;
  /** The switches of the kernel that take user namespaces away from everybody but root. */
  readonly isSwitchedOff: boolean;
  readonly isContainer: boolean;
}

export interface WhyNot {
  readonly why: string;
  /** What to do about it; begins with a verb. */
  readonly fix: string;
}

/** Why a sandbox cannot be had here. */
export function whyNot(kind: SandboxKind | "unshare", look: MachineLook): WhyNot {
  const { platform, hasProgram } = look;
  if (kind === "seatbelt") {
    return platform === "darwin"
      ? { why: `sandbox-exec does not start: ${oneLine(look.said)}`, fix: "Use --sandbox docker or podman" }
      : { why: "seatbelt is part of macOS only", fix: "Use --sandbox bwrap, docker or podman" };
  }
  if (kind === "docker" || kind === "podman") {
    return hasProgram
      ? {
          why: `${kind} starts no container: ${oneLine(look.said)}`,
          fix: `Check that ${kind} run works by itself`,
        }
      : { why: `${kind} is not on the PATH`, fix: `Install ${kind}, or use another --sandbox` };
  }
  if (platform !== "linux") {
    return { why: `${kind} needs Linux`, fix: "Use --sandbox seatbelt on macOS, or docker" };
  }
  if (!hasProgram) {
    return kind === "bwrap"
      ? { why: "bubblewrap is not installed", fix: "Install the package bubblewrap (apt-get, dnf, pacman or apk)" }
      : { why: "unshare is not on the PATH", fix: "Install the package util-linux" };
  }
  return withoutNamespace(kind, look);
}

function withoutNamespace(kind: "bwrap" | "unshare", look: MachineLook): WhyNot {
  if (look.isRestricted && !look.isRoot) {
    return {
      why: "AppArmor allows user namespaces only to programs with a profile (Ubuntu)",
      fix: `Add a profile for ${kind} with the rule "userns," in /etc/apparmor.d, or run sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`,
    };
  }
  if (look.isSwitchedOff && !look.isRoot) {
    return {
      why: "This system has user namespaces switched off",
      fix: "Run sudo sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000",
    };
  }
  if (look.isContainer) {
    return {
      why: `This container may make no namespaces: ${oneLine(look.said)}`,
      fix: "Start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --cap-add SYS_ADMIN, or take the container itself for the sandbox: --sandbox off",
    };
  }
  return { why: `${kind} does not start: ${oneLine(look.said)}`, fix: `Check that ${kind} works by itself` };
}

const oneLine = (text: string): string => {
  const [first = ""] = text.trim().split("\n");
  return first === "" ? "it said nothing" : first.slice(0, 200);
};
