import { isSafeForKeys } from "../base/net/web-address.ts"
import type { Config } from "./schema.ts"

type Settings = Config["embedding"]

/** The missing or wrong setting of a remote embedder, with a message; undefined if all are right. */
export function problemWithRemote(embedding: Settings): { key: string; message: string } | undefined {
  if (embedding.model !== "remote") return undefined
  const missing = (["remote_url", "remote_model"] as const).find((key) => embedding[key] === "")
  if (missing !== undefined) {
    const key = `embedding.${missing}`
    return { key, message: `A remote embedder needs ${key}; set it, or choose a local embedding.model.` }
  }
  if (remoteKeyVariable(embedding) === undefined || isSafeForKeys(embedding.remote_url)) return undefined
  const advice = "use https, or empty embedding.remote_key_env if the server wants no key."
  const message = `embedding.remote_url is http on another machine, where others could read the key; ${advice}`
  return { key: "embedding.remote_url", message }
}

/** The variables used by default for these hosts. Any other host gets a key only if a setting names it. */
const knownHosts: Readonly<Record<string, string>> = {
  "api.openai.com": "OPENAI_API_KEY",
  "openrouter.ai": "OPENROUTER_API_KEY",
}

/** The variable with the remote server's key: the configured one, else the vendor's default; undefined for none. */
export function remoteKeyVariable({ remote_key_env, remote_url }: Settings): string | undefined {
  if (remote_key_env !== "") return remote_key_env
  return knownHosts[URL.parse(remote_url)?.hostname ?? ""]
}
