import { expect, test } from "vitest"
import { z } from "zod"
import { describeInvalidInput } from "../../src/base/text/invalid-input.ts"

const schema = z.strictObject({
  query: z.string().min(1).max(10_000).default("words"),
  limit: z.int().min(1).max(200).default(1),
  tags: z.array(z.string().max(3)).min(1).max(2).default(["a"]),
  messageIndex: z.int().optional(),
  type: z.enum(["fact", "entity"]).default("fact"),
  gate: z.union([z.boolean(), z.literal("strict")]).optional(),
  from: z.union([z.string(), z.array(z.string())]).optional(),
  askedAt: z
    .string()
    .transform((): number | undefined => undefined)
    .pipe(z.int("must be a time"))
    .optional(),
  some: z.object({ ids: z.array(z.string()), days: z.int().min(1).default(1) }).optional(),
  act: z
    .discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })])
    .optional(),
  way: z
    .object({
      one: z.union(
        [z.strictObject({ a: z.literal(1) }), z.strictObject({ b: z.literal(1) })],
        "must be a or b",
      ),
    })
    .optional(),
  deep: z.object({ id: z.string() }).optional(),
})

test.each<[unknown, string]>([
  [{ query: "x".repeat(10_001) }, "The query is too long: at most 10,000 characters."],
  [{ query: "" }, "The query is empty; give one."],
  [{ query: null }, "The query must be a text, not null."],
  [{ limit: 201 }, "The limit is too big: at most 200."],
  [{ limit: 0 }, "The limit is too small: at least 1."],
  [{ limit: 1.5 }, "The limit must be a whole number, not 1.5."],
  [{ tags: ["abcd"] }, "The tag is too long: at most 3 characters."],
  [{ tags: ["a", "b", "c"] }, "There are too many tags: at most 2."],
  [{ tags: [] }, "There are too few tags: at least 1."],
  [{ messageIndex: "x" }, 'The message index must be a number, not "x".'],
  [{ type: "bogus" }, 'The type must be one of fact, entity, not "bogus".'],
  [{ gate: "foo" }, 'The gate must be one of true, false, strict, not "foo".'],
  [{ from: 5 }, "The from must be one of a text, a list, not 5."],
  [{ askedAt: "junk" }, '`askedAt` must be a time, not "junk".'],
  [{ some: {} }, "`some.ids` is missing."],
  [{ some: { ids: [], days: 0 } }, "`some.days` is too small: at least 1."],
  [{ act: {} }, "The act kind is missing; it must be one of a, b."],
  [{ act: { kind: "c" } }, 'The act kind must be one of a, b, not "c".'],
  [{ way: {} }, "The way one is missing; it must be a or b."],
  [{ deep: {} }, "The deep id is missing."],
  [{ other: 1 }, "other is not known here; leave it out."],
  [undefined, "The request is missing."],
])("%j: %s", (given, sentence) => {
  const { error } = schema.safeParse(given)
  expect(error && describeInvalidInput(error, given)).toBe(sentence)
})
