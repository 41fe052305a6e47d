import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Runs the garbage collector, which Node does not do in an idle process. Blocks for about 50 ms. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  collect()
}
