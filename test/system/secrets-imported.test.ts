import { test } from "vitest"
import { expectNoneFound, imported } from "./secret-ways.ts"

test(
  "none of more than a thousand secrets is found afterwards, by whatever way they are imported",
  {
    timeout: 600_000,
  },
  () => expectNoneFound({ ways: imported, memories: 200, removed: 400, seed: 720 }),
)
