import { runHook } from "./surfaces/run-hook.ts"

// The program that hooks run where curl is missing (see coding/connect/hook-command.ts), with the arguments SOCKET TOOL
// EVENT SECONDS. It is built as one CommonJS file, which Node starts faster than modules.
const [, , socket = "", tool = "", event = "", seconds] = process.argv
void runHook({ socket, tool, event, seconds })
