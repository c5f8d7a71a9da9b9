import { CASES } from "./cases.ts";
import { playAll } from "./play.ts";

playAll(CASES.filter(({ slow }) => slow !== undefined));
