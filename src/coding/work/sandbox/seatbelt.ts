import { insideEnvironment, limitedCommand } from "./inside.ts"
import { runBounded } from "./run-bounded.ts"
import type { Sandbox, SandboxSetup } from "./sandbox.ts"
import { seatbeltProfile, system } from "./seatbelt-profile.ts"

/**
 * Opens the sandbox for macOS. Our tests run on Linux and do not cover it. It has no namespaces: a process that leaves
 * its group stays in the sandbox, but may outlive the command.
 */
export function openSeatbelt({ clock, program, readable, limits }: SandboxSetup): Sandbox {
  return {
    name: "seatbelt",
    async run(request) {
      const { view } = request
      const args = ["-p", seatbeltProfile(view, readable), "--", ...limitedCommand(request, limits)]
      const env = { ...insideEnvironment([...system, ...readable]), HOME: view.root, TMPDIR: view.root }
      return runBounded({
        ...{ clock, program, args, env, limits, request },
        data: [],
        cwd: view.root,
      })
    },
  }
}
