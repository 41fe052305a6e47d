import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Environment } from "../../config/environment.ts"
import type { Paths } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"

interface InstructionNeeds {
  env: Pick<Environment, "userHome">
  paths: Pick<Paths, "configFile">
  config: Pick<Config, "chat">
}

const longest = 2000

/** The operator's instructions: the first 2,000 characters of a file, read anew when it changes; null without one. */
export function openInstructions({ env, paths, config }: InstructionNeeds): () => string | null {
  const named = config.chat.ambient.instructions_file.replace(/^~(?=\/)/, env.userHome)
  const file = named || join(dirname(paths.configFile), "ambient.md")
  let mark = ""
  let text: string | null = null
  return () => {
    try {
      const { mtimeMs, size, ino } = statSync(file)
      const now = `${mtimeMs} ${size} ${ino}`
      if (now !== mark) {
        text = Array.from(readFileSync(file, "utf8")).slice(0, longest).join("").trim() || null
        mark = now
      }
    } catch {
      mark = ""
      text = null
    }
    return text
  }
}
