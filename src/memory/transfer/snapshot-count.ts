import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"
import { createGunzip } from "node:zlib"
import { readThirdPartySqlite } from "../../storage/sqlite/third-party.ts"

/** The number of active memories in a snapshot; undefined if it cannot be read. */
export async function memoriesIn(file: string): Promise<number | undefined> {
  try {
    return file.endsWith(".db") ? await countRows(file) : await countLines(file)
  } catch {
    return undefined
  }
}

function countRows(file: string): Promise<number> {
  return readThirdPartySqlite(file, (db) => {
    const row = db.prepare("select count(*) as memories from memories where status = 'active'").get()
    return Number(row?.memories)
  })
}

/** A JSON export has one memory per line, each with its status. */
async function countLines(file: string): Promise<number> {
  const source = createReadStream(file)
  const unpacked = createGunzip()
  source.on("error", (error) => unpacked.destroy(error))
  let list = ""
  let memories = 0
  for await (const line of createInterface({ input: source.pipe(unpacked), crlfDelay: Infinity })) {
    list = /^"(\w+)": \[/.exec(line)?.[1] ?? list
    if (list === "memories" && line.includes('"status":"active"')) memories += 1
    else if (list !== "" && list !== "memories" && list !== "projects") break
  }
  source.destroy()
  return memories
}
