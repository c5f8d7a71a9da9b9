export { callDoor } from "../system/door/call-door.ts";
