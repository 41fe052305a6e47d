import { runHook } from "./surfaces/run-hook.ts"

// What hooks run where there is no curl (see coding/connect/hook-command.ts): SOCKET TOOL EVENT SECONDS.
const [, , socket = "", tool = "", event = "", seconds] = process.argv
await runHook({ socket, tool, event, seconds })
