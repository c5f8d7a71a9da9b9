import { expect, test } from "vitest";
import { inodesIn } from "./socket-holders.ts";

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:9827 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11425190 1 0 100 0 0 10 0
   3: 0100007F:A3F2 0100007F:9827 01 00000000:00000000 02:0000176D 00000000     0        0 11425192 3 0 20 0 0 11 -1
   4: 0100007F:9827 0100007F:A3F2 01 00000000:00000000 00:00000000 00000000     0        0 11425191 1 0 20 4 30 10 -1
`;

test("T-16 U-04 of all sockets of a machine the caller's end of one connection is found", () => {
  expect(inodesIn(TABLE, { ownPort: 0x9827, peerPort: 0xa3f2 })).toEqual(["11425192"]);
  expect(inodesIn(TABLE, { ownPort: 0x9827, peerPort: 0xa3f3 })).toEqual([]);
  expect(inodesIn("", { ownPort: 1, peerPort: 2 })).toEqual([]);
});
