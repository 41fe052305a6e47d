import inherited from "../../../assets/llm/inherited-variables.json" with { type: "json" }
import type { Environment } from "../../config/environment.ts"

/**
 * The environment of one of the user's programs: the variables it needs to start, to reach the network and to find the
 * user's sign-in (assets/llm), and ours. No provider's key.
 */
export function programEnvironment(
  env: Environment,
  alsoInherited: readonly string[],
  ours: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of [...inherited, ...alsoInherited]) {
    const value = env.variable(name)
    if (value !== undefined) passed[name] = value
  }
  return { ...passed, ...ours }
}
