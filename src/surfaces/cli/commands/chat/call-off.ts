import { exitCodes } from "../../../../base/errors.ts"
import type { CliNeeds } from "../../needs.ts"

/** The user pressed Ctrl-C, or the input ended. */
export function callOff(needs: CliNeeds): void {
  needs.output.say("\nCalled off; nothing was changed.")
  needs.setExitCode(exitCodes.interrupted)
}
