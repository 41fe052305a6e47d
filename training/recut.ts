/** Cuts prepared rows into the pieces of the multilingual model: `node training/recut.ts rows.jsonl pieces.json OUT`. */
import { createWriteStream, readFileSync } from "node:fs"
import { joined } from "../src/embedding/runtime/judge.ts"
import { openSentencePieces } from "../src/embedding/runtime/sentence-pieces.ts"

const [rowsFile = "", piecesFile = "", out = ""] = process.argv.slice(2)
const words = openSentencePieces(readFileSync(piecesFile, "utf8"))
const written = createWriteStream(out)
for (const line of readFileSync(rowsFile, "utf8").split("\n")) {
  if (line === "") continue
  const row = JSON.parse(line)
  const [first = "", second = ""] = row.texts as string[]
  const { ids, segments } = joined(words, { first, second })
  written.write(`${JSON.stringify({ ...row, ids, first: segments.indexOf(1) })}\n`)
}
written.end()
