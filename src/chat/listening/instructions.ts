import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Host } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"

const maxCharacters = 2000

/** The operator's instructions: the first 2,000 characters of a file, read again when it changes; null without one. */
export function openInstructions(needs: {
  env: Pick<Host["env"], "userHome">
  paths: Pick<Host["paths"], "configFile">
  config: Pick<Config, "chat">
}): () => string | null {
  const { env, paths, config } = needs
  const named = config.chat.ambient.instructions_file.replace(/^~(?=\/)/, env.userHome)
  const file = named || join(dirname(paths.configFile), "ambient.md")
  let mark = ""
  let text: string | null = null
  return () => {
    try {
      const { mtimeMs, size, ino } = statSync(file)
      const now = `${mtimeMs} ${size} ${ino}`
      if (now !== mark) {
        text = Array.from(readFileSync(file, "utf8")).slice(0, maxCharacters).join("").trim() || null
        mark = now
      }
    } catch {
      mark = ""
      text = null
    }
    return text
  }
}
