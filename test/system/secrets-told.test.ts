import { test } from "vitest"
import { expectNoneFound, told } from "./secret-ways.ts"

test(
  "none of more than five hundred secrets is found afterwards, by whatever way they are told, edited in or asked for",
  {
    timeout: 600_000,
  },
  () => expectNoneFound({ ways: told, memories: 100, removed: 200, seed: 700 }),
)
