import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import type { Judged, ToJudge } from "../embedder.ts"
import type { JudgeFile, JudgeFiles } from "../judge-card.ts"
import { type Notice, openGraph, type RuntimeChoice } from "./runtime.ts"
import type { TextTokenizer } from "./word-pieces.ts"

/** At most this many word pieces of both texts together, including the three marks. */
const longest = 160

export interface Judge {
  judge(texts: ToJudge): Promise<Judged>
  close(): Promise<void>
}

/** Opens the trained models; each is loaded for the first text in its language. */
export async function openJudge(
  needs: { notice: Notice; words: TextTokenizer },
  choice: RuntimeChoice,
  files: JudgeFiles,
): Promise<Judge> {
  const { isEnglish } = await import("./language.ts")
  const english = once(() => openModel(needs, choice, files.english))
  const multilingual = once(async () => {
    const { openSentencePieces } = await import("./sentence-pieces.ts")
    const words = openSentencePieces(await readFile(files.multilingual.pieces, "utf8"))
    return openModel({ ...needs, words }, choice, files.multilingual)
  })
  return {
    async judge(texts) {
      const model = await (isEnglish(texts.first, texts.second) ? english : multilingual).get()
      return model.judge(texts)
    },
    async close() {
      for (const { opened } of [english, multilingual])
        await (await opened()?.catch(() => undefined))?.close()
    },
  }
}

/** Opens something at the first call; later calls return the same. */
function once<T>(open: () => Promise<T>) {
  let opening: Promise<T> | undefined
  return {
    get(): Promise<T> {
      opening ??= open()
      return opening
    },
    opened: () => opening,
  }
}

async function openModel(
  needs: { notice: Notice; words: TextTokenizer },
  choice: RuntimeChoice,
  { file, sha256 }: JudgeFile,
): Promise<Judge> {
  const found = createHash("sha256")
    .update(await readFile(file))
    .digest("hex")
  if (found !== sha256) throw new Error("the model that judges is not the file that Reverie knows")
  const { onnx, session } = await openGraph(needs.notice, choice, file)
  const whole = (numbers: number[]) =>
    new onnx.Tensor("int64", BigInt64Array.from(numbers, BigInt), [numbers.length])
  return {
    async judge(texts) {
      const { ids, segments } = joined(needs.words, texts)
      const outputs = await session.run({ ids: whole(ids), segments: whole(segments) })
      return Object.fromEntries(
        session.outputNames.map((name) => [name, probabilities(outputs[name]?.data as Float32Array)]),
      )
    },
    close: () => session.release(),
  }
}

/**
 * Both texts with their marks; the second is truncated first.
 * @internal exported for training/prepare.ts
 */
export function joined(
  words: TextTokenizer,
  { first, second }: ToJudge,
): { ids: number[]; segments: number[] } {
  const a = words.tokenize(first).ids.slice(0, longest - 3)
  const b = words.tokenize(second).ids.slice(0, Math.max(0, longest - 3 - a.length))
  return {
    ids: [words.begin, ...a, words.end, ...b, words.end],
    segments: [...new Array<number>(a.length + 2).fill(0), ...new Array<number>(b.length + 1).fill(1)],
  }
}

function probabilities(logits: Float32Array): number[] {
  const most = Math.max(...logits)
  const raised = Array.from(logits, (value) => Math.exp(value - most))
  const sum = raised.reduce((total, value) => total + value, 0)
  return raised.map((value) => value / sum)
}
