import { test } from "vitest"
import { expectNoneFound, imported } from "./secret-ways.ts"

test(
  "none of more than five hundred secrets is found afterwards, by whatever way they are imported",
  {
    timeout: 600_000,
  },
  () => expectNoneFound({ ways: imported, memories: 100, removed: 200, seed: 720 }),
)
