import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { z } from "zod"

/** What is known about the trained model that comes with the program. */
export interface JudgeCard {
  /** The date and number of the training. */
  version: string
  sha256: string
  /** The embedder whose word pieces it reads, and beside which its thresholds were set. */
  base: string
  thresholds: {
    /**
     * From here on a sentence makes what rules find surer; is kept pending by itself; and goes in at once by itself, if it is
     * English or, where the model knows less, in another language.
     */
    teaches: { sure: number; pending: number; once: number; onceElsewhere: number }
    /** Notes less alike than this (the cosine of the embedder `base`) are not compared. */
    compared: number
    /** From here on a newer note is taken to update an older one, or to say the same. */
    update: number
    duplicate: number
  }
  /** Whether it also tells if a note answers a question. */
  answers: boolean
  /** The authors and repositories whose texts took no part in the training: figures on them are the honest ones. */
  leftOut: string[]
}

const share = z.number().min(0).max(1.01)

const cardSchema: z.ZodType<JudgeCard> = z.strictObject({
  version: z.string(),
  sha256: z.string(),
  base: z.string(),
  thresholds: z.strictObject({
    teaches: z.strictObject({ sure: share, pending: share, once: share, onceElsewhere: share }),
    compared: share,
    update: share,
    duplicate: share,
  }),
  answers: z.boolean().default(false),
  leftOut: z.array(z.string()).default([]),
})

/** Where the trained model lies: beside the source, or beside the built program. */
const folder = new URL(
  import.meta.url.endsWith(".ts") ? "../../assets/judge/" : "../assets/judge/",
  import.meta.url,
)

/** The trained model that comes with the program, if it is made for this embedder; undefined where it is missing. */
export function findJudge(model: string): { file: string; card: JudgeCard } | undefined {
  try {
    const card = cardSchema.parse(JSON.parse(readFileSync(new URL("judge.json", folder), "utf8")))
    return card.base === model ? { file: fileURLToPath(new URL("judge.onnx", folder)), card } : undefined
  } catch {
    return undefined
  }
}
