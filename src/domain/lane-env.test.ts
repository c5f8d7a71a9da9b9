import { describe, expect, test } from "vitest";
import { laneEnv, type LaneEnvRequest } from "./lane-env.ts";

const HOME = "/home/me/shop";
const LANE = "/state/lanes/shop-1a2b/1";

const made = (env: LaneEnvRequest["env"], more: Partial<LaneEnvRequest> = {}) =>
  laneEnv({ env, lane: 1, folder: LANE, home: [HOME], tmp: "/tmp/l1", port: 42_100, extra: {}, ...more });

/** One variable, as the lane sees it. */
const seen = (value: string, name = "SOME"): string | undefined => made({ [name]: value }).env[name];

describe("L-06 the environment of a lane", () => {
  test("names the lane, its ports, its temporary folder and its compose project", () => {
    expect(made({ USER: "me" })).toEqual({
      env: {
        USER: "me",
        PWD: LANE,
        RALPHCTL_LANE: "1",
        RALPHCTL_PORT: "42100",
        TMPDIR: "/tmp/l1",
        TMP: "/tmp/l1",
        TEMP: "/tmp/l1",
        COMPOSE_PROJECT_NAME: "shop-lane-1",
      },
      rewritten: [],
      leading: [],
    });
  });

  test("of the room has a name of its own", () => {
    const { env } = made({}, { lane: "room", home: ["/home/me/_My Shop!"] });
    expect([env["RALPHCTL_LANE"], env["COMPOSE_PROJECT_NAME"]]).toEqual(["room", "my-shop--room"]);
  });

  test("has the variables of lanes.env, with lane and ports filled in", () => {
    const extra = { PORT: "{port}", DEBUG_PORT: "{port+12}", DB: "shop_{lane}", JSON: '{"a": {x}, "p": "{portal}"}' };
    const { env } = made({ PORT: "3000", TMPDIR: "/x" }, { extra: { ...extra, TMPDIR: "/mine" } });
    expect(env).toMatchObject({ PORT: "42100", DEBUG_PORT: "42112", DB: "shop_1", JSON: extra.JSON, TMPDIR: "/mine" });
  });

  test("F-08 does not have the address of a fleet's database", () => {
    expect(made({ RALPHCTL_FLEET_URL: "postgres://ralph:word@db/ralph" }).env["RALPHCTL_FLEET_URL"]).toBe(undefined);
  });

  test("does not point git at the person's repository, and keeps who commits", () => {
    const git = { GIT_DIR: `${HOME}/.git`, GIT_INDEX_FILE: "x", GIT_AUTHOR_NAME: "Me", OLDPWD: "/", PWD: HOME };
    const { env, leading } = made(git);
    expect(env).toMatchObject({ GIT_DIR: undefined, GIT_INDEX_FILE: undefined, OLDPWD: undefined, PWD: LANE });
    expect([env["GIT_AUTHOR_NAME"], leading]).toEqual(["Me", []]);
  });
});

describe("L-06, L-21 a variable that names the person's tree leads into the lane", () => {
  test.each([
    ["the tree itself", HOME, LANE],
    ["a path below", `${HOME}/.venv`, `${LANE}/.venv`],
    ["an entry of a list", `/usr/bin:${HOME}/node_modules/.bin:/bin`, `/usr/bin:${LANE}/node_modules/.bin:/bin`],
    ["all entries", `${HOME}/a:${HOME}/b`, `${LANE}/a:${LANE}/b`],
    ["an option", `--require ${HOME}/hook.js`, `--require ${LANE}/hook.js`],
    ["an option without a blank", `-I${HOME}/include -L=${HOME}/lib`, `-I${LANE}/include -L=${LANE}/lib`],
    ["an address", `file://${HOME}/a.db sqlite:///${HOME}/b.db`, `file://${LANE}/a.db sqlite:///${LANE}/b.db`],
    ["in quotes", `"${HOME}"`, `"${LANE}"`],
    ["by a detour", "/home/me/other/../shop/./bin:/x//y", `${LANE}/bin:/x/y`],
  ])("%s", (_name, value, expected) => {
    expect(seen(value)).toBe(expected);
    expect(made({ SOME: value })).toMatchObject({ rewritten: ["SOME"], leading: [] });
  });

  test.each([
    ["a folder whose name begins alike", `${HOME}-2/bin:${HOME}.old`],
    ["the same path elsewhere", `/mnt${HOME}/bin`],
    ["a host of that name", "http://home/me/shop"],
    ["a detour that does not lead there", "/usr//bin:/x/../y"],
    ["a detour that leads out of it", `${HOME}/../state`],
  ])("not %s", (_name, value) => {
    expect(made({ SOME: value })).toMatchObject({ env: { SOME: value }, rewritten: [], leading: [] });
  });

  test("in any of its spellings", () => {
    const home = ["/var/home/me/shop", HOME] as const;
    const { env } = made({ PATH: `${HOME}/bin:/var/home/me/shop/bin` }, { home });
    expect(env["PATH"]).toBe(`${LANE}/bin:${LANE}/bin`);
  });

  test("but not our own variables and not HOME", () => {
    const env = { RALPHCTL_WORKSPACE: HOME, HOME: "/home/me" };
    expect(made(env)).toMatchObject({ env, rewritten: [], leading: [] });
  });

  test("one of lanes.env stays as the user wrote it, and is named", () => {
    const extra = { FIXTURES: `${HOME}/fixtures` };
    expect(made({ FIXTURES: `${HOME}/x` }, { extra })).toMatchObject({
      env: extra,
      rewritten: [],
      leading: ["FIXTURES"],
    });
  });

  test("all stay where the user's home folder is the repository: its programs exist only there", () => {
    const env = { HOME, PATH: `${HOME}/.local/bin:/bin` };
    expect(made(env)).toMatchObject({ env, rewritten: [], leading: ["PATH"] });
  });

  test("in linear time", () => {
    const value = `${"a".repeat(200_000)}${HOME}`;
    const start = performance.now();
    made({ SOME: value.repeat(5) });
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
