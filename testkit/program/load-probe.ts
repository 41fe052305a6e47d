import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"

// Loaded before the program by `node --import`: tells which files of ours and which modules of Node it loads, as lines
// of the file that REVERIE_LOADED_FILE names.
const file = process.env.REVERIE_LOADED_FILE ?? ""
const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
process.on("exit", () => {
  const builtins = (process as unknown as { moduleLoadList: string[] }).moduleLoadList
  appendFileSync(file, [...loaded, ...builtins].join("\n"))
})
