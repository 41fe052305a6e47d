import { describe, expect, it } from "vitest"
import { relate } from "../../src/language/compare/relate.ts"
import { differInCase } from "../../src/language/read/letter-case.ts"

const twoThings: readonly (readonly [string, string])[] = [
  ["Delete it with git branch -d", "Delete it with git branch -D"],
  ["Match it with \\d+", "Match it with \\D+"],
  ["Names match [a-z]+", "Names match [A-Z]+"],
  ["Names match [a-z]", "Names match [A-Z]"],
  ["The link has 100 Mb/s", "The link has 100 MB/s"],
  ["The limit is 10 Mb", "The limit is 10 MB"],
  ["The limit is 10Mb", "The limit is 10MB"],
  ["Times are written HH:mm", "Times are written hh:mm"],
  ["Dates are YYYY-mm-DD", "Dates are YYYY-MM-DD"],
  ["Years are YYYY", "Years are yyyy"],
  ["Pack it with tar -c", "Pack it with tar -C"],
  ["It reads ~/.config/a", "It reads ~/.config/A"],
  ["Look into README.md", "Look into readme.md"],
  ["Merge Feature/login", "Merge feature/login"],
  ["Use CamelCase for names", "Use camelCase for names"],
  ["Call userName first", "Call username first"],
  ["Set MAX_RETRIES first", "Set max_retries first"],
  ["Set `debug` first", "Set `DEBUG` first"],
  ["Set `Debug` first", "Set `debug` first"],
  ["Plan b is ready", "Plan B is ready"],
  ["Press i to insert", "Press I to insert"],
  ["Map -d to -D", "Map -D to -d"],
  ['Write "foo" in code', "Write 'foo' in code"],
  ["Run git add .", "Run git add"],
  ["Der Schalter heißt -v und nicht anders", "Der Schalter heißt -V und nicht anders"],
]

const oneThing: readonly (readonly [string, string])[] = [
  ["The Database is slow", "the database is slow"],
  ["NEVER push to main", "never push to main"],
  ["A test fails", "a test fails"],
  ["THIS IS A TEST", "This is a test"],
  ["I prefer tabs", "i prefer tabs"],
  ["When I deploy, wait", "When i deploy, wait"],
  ["We use PostgreSQL", "we use postgresql"],
  ["Our CI is GitHub Actions", "our CI is github actions"],
  ["The demo is at 3 PM", "The demo is at 3 pm"],
  ["The APIs are slow", "The apis are slow."],
  ["Force-push is banned", "force-push is banned"],
  ["Never push (ever)", "never push (Ever)"],
  ["Use “foo” here", 'Use "foo" here'],
  ["The file is `app.toml`", "The file is app.toml"],
]

describe("differInCase", () => {
  it.each(twoThings)("keeps apart: %s / %s", (a, b) => {
    expect(differInCase(a, b)).toBe(true)
    expect(relate(a, b).kind).not.toBe("same")
    expect(relate(b, a).kind).not.toBe("same")
  })

  it.each(oneThing)("takes for the same: %s / %s", (a, b) => {
    expect(differInCase(a, b)).toBe(false)
    expect(relate(a, b)).toEqual({ kind: "same" })
  })
})
