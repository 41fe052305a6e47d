import { describe, expect, test } from "vitest"
import { triggersOf } from "../../../src/language/read/trigger-words.ts"
import { inferType } from "../../../src/memory/extract/infer-type.ts"
import { occursIn } from "../../../src/memory/find/triggers.ts"

const isHeld = (rule: string, call: string) => triggersOf(rule).some((pattern) => occursIn(pattern, call))

describe("A tool call that breaks a prohibition is known by its words", () => {
  test.each([
    ["Never run rm -rf", "rm -rf build"],
    ["Never run terraform apply", "terraform apply"],
    ["Don't run terraform apply without a plan review", "terraform apply -auto-approve"],
    ["Never force push", "git push --force origin feature/x"],
    ["Never delete rows from the orders table; archive them", 'psql -c "DELETE FROM orders WHERE id = 1"'],
    ["Never run docker system prune on the build host", "docker system prune -af"],
    ["Always use pnpm, never npm, in this repository", "npm install lodash"],
    ["Do not use moment.js; use date-fns", 'import moment from "moment"'],
    ["Never push directly to main", "git push origin main"],
    ["Never push to main or develop", "git push origin develop"],
    ["Never edit files in src/gen", "src/gen/api.ts"],
    ["Never touch vendor/", "vendor/lib/a.c"],
  ])("%s: %s", (rule, call) => {
    expect(isHeld(rule, call)).toBe(true)
  })

  test.each([
    ["Never run rm -rf", "rm build/out.js"],
    ["Never run terraform apply", "terraform plan"],
    ["Never force push", "git push origin feature/x"],
    ["Never push directly to main", "git push origin feature/menu"],
    ["Never run docker system prune on the build host", "docker build -t host ."],
    ["Always use pnpm, never npm, in this repository", "pnpm install lodash"],
    ["Never delete rows from the orders table", "select * from orders"],
    ["We deploy on Fridays", "deploy"],
  ])("and another is not: %s: %s", (rule, call) => {
    expect(isHeld(rule, call)).toBe(false)
  })
})

describe("The type of what is told", () => {
  test.each([
    ["Answers should be short and without emojis", "preference"],
    ["From now on answer in German", "preference"],
    ["Please keep functions under 40 lines", "preference"],
    ["You should write tests first", "preference"],
    ["Please never push to main", "negative"],
    ["The staging port is 8080", "fact"],
  ])("%s: %s", (text, type) => {
    expect(inferType(text)).toBe(type)
  })
})
