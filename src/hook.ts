import { runHook } from "./surfaces/run-hook.ts"

// What hooks run where there is no curl (see coding/connect/hook-command.ts): SOCKET TOOL EVENT SECONDS. It becomes
// one CommonJS file, which Node starts sooner than modules.
const [, , socket = "", tool = "", event = "", seconds] = process.argv
void runHook({ socket, tool, event, seconds })
