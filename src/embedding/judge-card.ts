import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { z } from "zod"

/**
 * The description of the trained models that come with the program: one for English, one for all other languages. It is
 * not inferred from the schema, because the library's types contain it and must not need zod.
 */
export interface JudgeCard {
  /** The date and number of the training. */
  version: string
  sha256: { english: string; multilingual: string }
  /** The embedding model whose word pieces the English one reads, and for which the thresholds of both were set. */
  base: string
  thresholds: {
    /** A sentence from here on confirms what rules find; is saved as pending by itself; is saved at once by itself. */
    teaches: { sure: number; pending: number; once: number }
    /** Memories below this cosine of the embedder `base` are not compared. */
    compared: number
    /** From here on a newer memory updates an older one, or says the same. */
    update: number
    duplicate: number
  }
  /** Whether the models also judge if a memory answers a question. */
  answers: boolean
  /** The authors and repositories whose texts took no part in the training; only figures on them are honest. */
  leftOut: string[]
}

const share = z.number().min(0).max(1.01)

const cardSchema: z.ZodType<JudgeCard> = z.strictObject({
  version: z.string(),
  sha256: z.strictObject({ english: z.string(), multilingual: z.string() }),
  base: z.string(),
  thresholds: z.strictObject({
    teaches: z.strictObject({ sure: share, pending: share, once: share }),
    compared: share,
    update: share,
    duplicate: share,
  }),
  answers: z.boolean().default(false),
  leftOut: z.array(z.string()).default([]),
})

/** The files of the trained models. The English one reads the embedder's word pieces. */
export interface JudgeFiles {
  english: JudgeFile
  multilingual: JudgeFile & { pieces: string }
}
export interface JudgeFile {
  file: string
  sha256: string
}

/** The folder of the trained models, from the source or from the built program. */
const folder = new URL(
  import.meta.url.endsWith(".ts") ? "../../assets/judge/" : "../assets/judge/",
  import.meta.url,
)

/** The trained models, if they are there and made for this embedding model. */
export function findJudge(model: string): { files: JudgeFiles; card: JudgeCard } | undefined {
  const at = (name: string) => fileURLToPath(new URL(name, folder))
  try {
    const card = cardSchema.parse(JSON.parse(readFileSync(at("judge.json"), "utf8")))
    if (card.base !== model) return undefined
    const { english, multilingual } = card.sha256
    const files = {
      english: { file: at("english.onnx"), sha256: english },
      multilingual: { file: at("multilingual.onnx"), sha256: multilingual, pieces: at("pieces.json") },
    }
    return { files, card }
  } catch {
    return undefined
  }
}
