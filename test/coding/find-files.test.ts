import { utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createFileFinder } from "../../src/coding/reading/find-files.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"

it("finds what changed, and looks again at quiet files only after a while", async () => {
  const folder = throwawayFolder()
  const [old, fresh] = [join(folder, "old.jsonl"), join(folder, "fresh.jsonl")]
  for (const file of [old, fresh, join(folder, "other.txt")]) writeFileSync(file, "")
  const minute = 60_000
  const change = (file: string, at: number) => utimesSync(file, at / 1000, at / 1000)
  change(old, 1_000_000_000)
  change(fresh, 2_000_000_000)
  const find = createFileFinder()
  const since = 1_900_000_000
  expect(await find(folder, /\.jsonl$/, since)).toEqual([fresh])
  change(old, 2_000_000_000)
  change(fresh, 2_000_000_001)
  expect(await find(folder, /\.jsonl$/, since + minute)).toEqual([fresh])
  expect(await find(folder, /\.jsonl$/, since + 3 * minute)).toEqual([fresh, old])
  expect(await find(join(folder, "nowhere"), /\.jsonl$/, 0)).toEqual([])
  change(old, 1_000_000_000)
  expect(await find(folder, /\.jsonl$/, since + 4 * minute)).toEqual([fresh])
  expect(await find(folder, /\.jsonl$/, 0)).toEqual([fresh, old])
})
