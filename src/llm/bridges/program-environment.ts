import type { Environment } from "../../config/environment.ts"

/** What a program needs to start, to reach the network and to find the user's sign-in. No key of any provider. */
const passedOn = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TERM",
  "TZ",
  "TMPDIR",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
  "XDG_RUNTIME_DIR",
  "XDG_CONFIG_DIRS",
  "XDG_DATA_DIRS",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
]

/** The environment of a program of the user's: the named variables and ours, nothing else. */
export function programEnvironment(
  env: Environment,
  alsoPassedOn: readonly string[],
  ours: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of [...passedOn, ...alsoPassedOn]) {
    const value = env.variable(name)
    if (value !== undefined) passed[name] = value
  }
  return { ...passed, ...ours }
}
