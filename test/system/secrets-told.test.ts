import { test } from "vitest"
import { expectNoneFound, told } from "./secret-ways.ts"

test(
  "none of more than a thousand secrets is found afterwards, by whatever way they are told, edited in or asked for",
  {
    timeout: 600_000,
  },
  () => expectNoneFound({ ways: told, memories: 200, removed: 400, seed: 700 }),
)
