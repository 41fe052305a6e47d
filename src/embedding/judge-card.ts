import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { z } from "zod"

/** What is known about the trained models that come with the program: one judges English, one all other languages. */
export interface JudgeCard {
  /** The date and number of the training. */
  version: string
  sha256: { english: string; multilingual: string }
  /** The embedder whose word pieces the English one reads, and beside which the thresholds of both were set. */
  base: string
  thresholds: {
    /** From here on a sentence makes what rules find surer; is kept pending by itself; and goes in at once by itself. */
    teaches: { sure: number; pending: number; once: number }
    /** Notes less alike than this (the cosine of the embedder `base`) are not compared. */
    compared: number
    /** From here on a newer note is taken to update an older one, or to say the same. */
    update: number
    duplicate: number
  }
  /** Whether they also tell if a note answers a question. */
  answers: boolean
  /** The authors and repositories whose texts took no part in the training: figures on them are the honest ones. */
  leftOut: string[]
}

/** The models that judge: one for English, which reads the embedder's word pieces, and one for all other languages. */
export interface JudgeFiles {
  english: JudgeFile
  multilingual: JudgeFile & { pieces: string }
}
export interface JudgeFile {
  file: string
  sha256: string
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

/** Where the trained models lie: beside the source, or beside the built program. */
const folder = new URL(
  import.meta.url.endsWith(".ts") ? "../../assets/judge/" : "../assets/judge/",
  import.meta.url,
)

/** The trained models that come with the program, if they are made for this embedder; undefined where they are missing. */
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
