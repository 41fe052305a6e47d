import { describe, expect, it } from "vitest"
import { relate } from "../../src/language/compare/relate.ts"
import { describeOpposition, type Opposition } from "../../src/language/compare/relation.ts"

type Row = readonly [older: string, newer: string]
type OpposedRow = readonly [by: Opposition["by"], older: string, newer: string]

const contradictions: readonly OpposedRow[] = [
  ["negation", "Push to main", "Never do any of the following: push to main"],
  ["number", "The port is 8080", "The port is 9090"],
  ["number", "The cache lives for 5 minutes", "The cache lives for 2 hours"],
  ["number", "There are twenty-one services", "There are 22 services"],
  ["number", "The plan costs $20 a month", "The plan costs $25 a month"],
  ["number", "Stand-up is at 9:30", "Stand-up is at 10:15"],
  ["number", "The freeze begins on 3 May", "The freeze begins on May 9"],
  ["number", "The deadline is 2026-03-01", "The deadline is March 8, 2026"],
  ["number", "Batches hold 10-20 rows", "Batches hold 50-100 rows"],
  ["number", "The app runs at http://localhost:3000", "The app runs at http://localhost:8000"],
  ["version", "The service runs on Node 20", "The service runs on Node 22"],
  ["version", "The client is at v1.2.3", "The client is at v1.3.0"],
  ["version", "We were on Python 3.11", "We are on Python 3.12 now"],
  ["ordinal", "Deploys are the first step", "Deploys are the 3rd step"],
  ["negation", "The API supports paging", "The API does not support paging"],
  ["negation", "Use lodash", "Never use lodash"],
  ["negation", "Agents can push to main", "Agents can't push to main"],
  ["negation", "We use Redux", "We no longer use Redux"],
  ["negation", "Someone reviews the updates", "Nobody reviews the updates"],
  ["negation", "Ship with feature flags", "Ship without feature flags"],
  ["negation", "Run the build with --verify", "Run the build with --no-verify"],
  ["negation", "The user used to use Vim", "The user uses Vim"],
  ["negation", "Redis is used to cache pages", "Redis is not used to cache pages"],
  ["antonym", "The endpoint is public", "The endpoint is private"],
  ["antonym", "Telemetry is turned on", "Telemetry is turned off"],
  ["antonym", "The link is available", "The link is unavailable"],
  ["antonym", "The tests pass", "The tests fail"],
  ["slot", "timezone: Europe/Berlin", "timezone: Europe/Madrid"],
  ["slot", "Billing is owned by Maria", "Billing is owned by Tom"],
  ["slot", "The default branch is trunk/a", "The default branch is trunk/b"],
  ["slot", "Configuration lives in config/app.toml", "Configuration lives in settings/app.toml"],
  ["slot", "Use acme for payments", "Use globex for payments"],
  ["preference", "The user prefers tabs", "The user prefers spaces"],
  ["preference", "Use pnpm, not npm", "Use npm, not pnpm"],
  ["preference", "Prefers REST over GraphQL", "Prefers GraphQL over REST"],
  ["preference", "Use npm", "Use pnpm instead of npm"],
  ["antonym", "The user likes emoji", "The user hates emoji"],
  ["alternative", "The project uses npm", "The project uses pnpm"],
  ["alternative", "We use npm", "We switched from npm to pnpm"],
  ["alternative", "Tests run with Mocha", "Mocha was replaced by Vitest"],
  ["alternative", "The car is red", "The car is blue"],
  ["alternative", "We meet on Monday", "We meet on Thursday"],
  ["slot", "The office is in France", "The office is in Spain"],
  ["number", "On port 5433 the database listens", "The database listens on port 5432"],
  ["antonym", "By default the cache is on", "The cache is off by default"],
  ["negation", "On Fridays we deploy", "We never deploy on Fridays"],
  ["alternative", "The site is hosted on Netlify", "We host the site on Vercel"],
  ["slot", "The tech lead is Ingrid", "Omar is the tech lead"],
  ["negation", "The job does not build the image and does not push the tag", "The job pushes the tag"],
  ["negation", "The beach is sandy", "There is no sand on the beach"],
  ["negation", "Tests can be run in parallel", "Tests must not be run in parallel"],
  ["negation", "Feel free to push to main", "Under no circumstances push to main"],
  ["antonym", "The pipeline lacks a security scan", "The pipeline has a security scan"],
  ["slot", "The service runs in eu-west-1", "The service runs in us-east-1"],
  ["number", "The service runs in eu-west-1", "The service runs in eu-west-2"],
  ["alternative", "The limit is 100 requests per minute", "The limit is 100 requests per second"],
  ["slot", "The database is MySQL 5.7", "The database is PostgreSQL 16"],
  ["alternative", "The API is written in Go", "The API was rewritten in Rust"],
  ["negation", "A red van and a blue van are parked", "No blue van and red van are parked"],
]

const sameThings: readonly Row[] = [
  ["Never do any of the following: push to main", "Never push to main"],
  ["Don't: use lodash", "Don't use lodash"],
  ["The user prefers tabs.", "the user prefers tabs"],
  ["We use PostgreSQL", "We use Postgres"],
  ["Don't force-push", "Do not force push."],
  ["The timeout is 60 seconds", "The timeout is 1 minute"],
  ["Retry three times", "Retry 3 times"],
  ["The queue holds 10k rows", "The queue holds 10,000 rows"],
  ["The demo is at 3pm", "The demo is at 15:00"],
  ["The release is on March 14", "The release is on 14 March"],
  ["Feature flags are enabled", "Feature flags are turned on"],
  ["Maria owns the billing service", "The billing service is owned by Maria"],
  ["The config is in `app.toml`", "The configuration is in app.toml"],
  ["LOG_LEVEL=debug", "LOG_LEVEL: debug"],
  ["The first run is slow", "The 1st run is slow"],
  ["We moved from npm to pnpm", "We switched from npm to pnpm"],
  ["On port 5433 the database listens", "The database listens on port 5433"],
  ["In production, we use Postgres", "We use Postgres in production"],
  ["On Fridays we never deploy", "We never deploy on Fridays"],
  ["The output of the build goes to dist/", "The build output goes to dist/"],
  ["The default branch is main", "main is the default branch"],
  ["The site is hosted on Netlify", "We host the site on Netlify"],
  ["Requests are retried automatically", "Requests are automatically retried"],
  ["Images are pushed to the registry by two jobs", "Two jobs push images to the registry"],
]

const different: readonly Row[] = [
  ["Never do any of the following: push to main", "Never push to main: not even hotfixes"],
  ["The project uses pnpm", "The project uses pnpm only in CI"],
  ["Never force-push", "Never force-push to main"],
  ["Use lodash", "Do not use lodash in the browser bundle"],
  ["The API listens on port 8080", "The dashboard listens on port 9090"],
  ["Staging has 2 replicas", "Production has 6 replicas"],
  ["The app runs on Node 22", "The app runs on Node 22.13"],
  ["Supports Node 18", "Supports Node 20"],
  ["PR 412 upgraded React", "PR 518 upgraded React"],
  ["The user knows Python", "The user knows Rust"],
  ["User prefers tabs in Go", "User prefers spaces in Python"],
  ["We use Redis and Kafka", "We use Redis and RabbitMQ"],
  ["We use pnpm", "We switched from npm to pnpm"],
  ["Never use npm", "Never use yarn"],
  ["Run the tests with -v", "Run the tests with -V"],
  ["The dog chases the cat", "The cat chases the dog"],
  ["Approved by Maria", "Approved for Maria"],
  ["We deployed on Fly", "We deploy on Fly"],
  ["The API was slow", "The API is slow"],
  ["You must run the linter", "You may run the linter"],
  ["Should we use Redis?", "We use Redis"],
  ["x > 3 is fine", "x < 3 is fine"],
  ["The build is ✅", "The build is ❌"],
  ["A timeout of 30", "A timeout of 30 seconds"],
  ["The number is 1.000", "The number is 1000"],
  ["The flag is enabled", "The flag is not disabled"],
  ["At least 3 replicas are needed", "The database has 5 replicas"],
  ["The user is a designer", "The user is vegetarian"],
  ["The user likes short answers", "The user doesn't like emoji in replies"],
  ["Tests must touch the network", "Tests must not touch the clock"],
  ["The user works at Siemens", "The user works in Bergen"],
  ["Use pnpm, not npm", "We switched from npm to pnpm"],
  ["Use spaces instead of tabs", "The user prefers tabs in Go"],
  ["Do not add dependencies", "Do not add dependencies without asking"],
  ["In Go use tabs, in Python spaces", "Use tabs in Python, spaces in Go"],
  ["After the tests run the linter", "Run the tests after the linter"],
  ["The API is called by the worker", "The API calls the worker"],
  ["The branch fix/login is merged", "The branch fix/logout is merged"],
  ["Agents may push to main", "Never force-push to main"],
  ["HTTP listens on port 80", "HTTPS listens on port 443"],
  ["You must run the linter", "You should run the linter"],
  ["We wrote the docs", "We rewrote the docs"],
  ["", "The port is 8080"],
]

const otherLanguages: readonly (readonly [kind: string, older: string, newer: string])[] = [
  ["same", "Der Port ist 8080.", "der Port ist 8080"],
  ["contradicts", "Der Port ist 8080", "Der Port ist 9090"],
  ["contradicts", "Wir nutzen Redux", "Wir nutzen Redux nicht"],
  ["contradicts", "Das ist ein Fehler", "Das ist kein Fehler"],
  ["contradicts", "Wir arbeiten mit Docker", "Wir arbeiten ohne Docker"],
  ["contradicts", "Le serveur est rapide", "Le serveur n'est pas rapide"],
  ["contradicts", "El equipo usa Slack", "El equipo no usa Slack"],
  ["contradicts", "Il progetto usa Redux", "Il progetto non usa Redux"],
  ["contradicts", "O projeto usa Redux", "O projeto não usa Redux"],
  ["contradicts", "Het project gebruikt Redux", "Het project gebruikt geen Redux"],
  ["contradicts", "ポートは 8080 です", "ポートは 9090 です"],
  ["contradicts", "Порт сервера 8080", "Порт сервера 9090"],
  ["differs", "kill test one", "kill test two"],
  ["differs", "Мы используем npm", "Мы не используем npm"],
  ["differs", "我们使用 npm", "我们不使用 npm"],
  ["differs", "نحن نستخدم npm", "نحن لا نستخدم npm"],
  ["differs", "Wir nutzen Redux", "We use Redux"],
  ["differs", "Die Kaffeemaschine ist blau", "Die Kaffeemaschine ist kaputt"],
  ["differs", "Die Datei hat 1.000 Zeilen", "Die Datei hat 1000 Zeilen"],
]

describe("relate", () => {
  it.each(contradictions)("finds what opposes (%s): %s / %s", (by, older, newer) => {
    expect(relate(older, newer)).toMatchObject({ kind: "contradicts", reason: { by } })
  })

  it.each(sameThings)("merges what says the same: %s / %s", (older, newer) => {
    expect(relate(older, newer)).toEqual({ kind: "same" })
  })

  it.each(different)("keeps both: %s / %s", (older, newer) => {
    expect(relate(older, newer).kind).toBe("differs")
  })

  it.each(otherLanguages)("is careful in other languages (%s): %s / %s", (kind, older, newer) => {
    expect(relate(older, newer).kind).toBe(kind)
  })

  it("names the opposing words in the order in which they were said", () => {
    const forth = relate("The port is 8080", "The port is 9090")
    const back = relate("The port is 9090", "The port is 8080")
    expect(forth).toEqual({ kind: "contradicts", reason: { by: "number", older: "8080", newer: "9090" } })
    expect(back).toEqual({ kind: "contradicts", reason: { by: "number", older: "9090", newer: "8080" } })
  })

  it("finds the sentence that contradicts inside a longer text", () => {
    const older = "The API is written in Go. It was started in 2021. The API listens on port 8080."
    const newer = "The API listens on port 9090. Ask the platform team."
    expect(relate(older, newer)).toMatchObject({
      kind: "contradicts",
      reason: { older: "8080", newer: "9090" },
    })
  })

  it.each([
    ["The project runs on Node 22. Builds go through Jenkins.", "The project runs on Node 24."],
    ["The session timeout is 30. The owner is Anna.", "The session timeout is 60. Tests run in Vitest."],
    ["Release 12. The port is 8080.", "The port is 9090."],
  ])("finds it where a sentence ends in a number: %s", (older, newer) => {
    expect(relate(older, newer).kind).toBe("contradicts")
  })

  it("does not take sentences that depend on others out of their place", () => {
    expect(relate("The shop is old. It runs on Node 20.", "The blog is new. It runs on Node 22.").kind).toBe(
      "differs",
    )
  })

  it("wants a closer match when the embeddings are far apart", () => {
    const [older, newer] = [
      "Our small demo server at home listens on port 80",
      "Our demo server at home listens on port 90",
    ]
    expect(relate(older, newer, 0.9).kind).toBe("contradicts")
    expect(relate(older, newer, 0.3).kind).toBe("differs")
  })

  it("answers for texts of any length", () => {
    const long = "The port is 8080. ".repeat(1000)
    expect(relate(long, long).kind).toBe("same")
    expect(relate(`${long}x`, `${long}y`).kind).toBe("differs")
    expect(relate("-".repeat(20_000), "a.".repeat(10_000)).kind).toBe("differs")
    expect(relate("a".repeat(30_000), "b".repeat(30_000)).kind).toBe("differs")
  })
})

describe("describeOpposition", () => {
  it("says in one sentence what opposes", () => {
    const relation = relate("The project uses npm", "The project uses pnpm")
    const sentence = relation.kind === "contradicts" ? describeOpposition(relation.reason) : ""
    expect(sentence).toBe("Only one of “npm” and “pnpm” can be true here.")
  })
})
