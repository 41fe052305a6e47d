import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "../../config/environment.ts"

const publicRegistry = "https://registry.npmjs.org/"

/** The registry that the user's npm uses for a package, with a slash at the end: it may be a company's mirror. */
export function npmRegistryFor(env: Environment, packageName: string): string {
  const settings = readSettings(env)
  const scope = /^@[^/]+/.exec(packageName)?.[0]
  const own = scope === undefined ? undefined : settings.get(`${scope}:registry`)
  const url = own ?? env.npmRegistry ?? settings.get("registry") ?? publicRegistry
  return url.endsWith("/") ? url : `${url}/`
}

/** The settings of the user's .npmrc; none if it is missing. */
function readSettings(env: Environment): Map<string, string> {
  const lines = readIfThere(env.npmSettings ?? join(env.userHome, ".npmrc")).split("\n")
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const [, name, value] = /^\s*([^;#=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      if (name === undefined || value === undefined) return []
      return [[name, value.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => env.variable(variable) ?? "")]]
    }),
  )
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
