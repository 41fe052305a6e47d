import { configSchema } from "../../../src/config/schema.ts"
import { createSeededRandom } from "../../../testkit/seeded-random.ts"
import { type Bench, type Figure, median } from "../../shared/figures.ts"
import { createCommunities, type Tally } from "./decisions.ts"
import { playOriginal } from "./original.ts"
import { playOurs } from "./ours.ts"
import { estimateTokens } from "./tokens.ts"

/** US dollars for a million tokens, in and out: a small, fast model. */
const prices = { input: 1, output: 5 }
const eagernesses = [5, 20, 50, 100]

interface Size {
  communities: number
  days: number
}

/** Communities for some weeks with thoughts of their own, by eagerness, beside the original's rule in the same run. */
export async function runInitiative(bench: Bench, { communities: many, days }: Size): Promise<Figure[]> {
  const communities = createCommunities(many)
  const figures: Figure[] = []
  const rows: string[] = []
  for (const eagerness of eagernesses) {
    const { chat } = configSchema.parse({ chat: { initiative: { text: { eagerness } } } })
    const { text } = chat.initiative
    bench.say(`Eagerness ${eagerness}: ${many} communities for ${days} days.`)
    const ours = await playOurs(communities, { days, chat, random: createSeededRandom(eagerness) })
    const original = playOriginal(communities, {
      ...{ days, eagerness, random: createSeededRandom(eagerness) },
      ...{ gapMs: text.min_minutes_between_posts * 60_000, perDay: text.max_posts_per_day },
    })
    const tokens = await estimateTokens(chat)
    for (const [name, tally] of [
      ["ours", ours],
      ["original", original],
    ] as const)
      rows.push(rowOf(eagerness, name, tally, costOf(tally, tokens)))
    figures.push(...figuresOf(eagerness, ours, original, costOf(ours, tokens)))
  }
  const head =
    "| eagerness | rule | posts | calls | calls per post | of a held thought, most | tokens (est.) | cost (est.) | considered min / median / max | Gini |"
  bench.say([head, "|---|---|---|---|---|---|---|---|---|---|", ...rows].join("\n"))
  return figures
}

interface Cost {
  tokens: number
  usd: number
}

function costOf(
  { calls, considered, heldCalls }: Tally,
  tokens: Awaited<ReturnType<typeof estimateTokens>>,
): Cost {
  const fresh = sum([...considered.values()])
  const later = Math.max(0, calls - heldCalls - fresh)
  const input = (fresh + heldCalls) * tokens.firstInput + later * tokens.laterInput
  const output = calls * tokens.output
  return { tokens: input + output, usd: (input * prices.input + output * prices.output) / 1e6 }
}

function figuresOf(eagerness: number, ours: Tally, original: Tally, { tokens, usd }: Cost): Figure[] {
  const looks = [...ours.considered.values()]
  const theirs = [...original.considered.values()]
  const figure = (id: string, value: number, unit: string, better: Figure["better"], baseline?: number) => ({
    ...{ id: `initiative.${eagerness}.${id}`, value, unit, better },
    ...(baseline === undefined ? {} : { baseline: { name: "original's rule", value: baseline } }),
  })
  return [
    figure("posts", ours.posts, "", "higher", original.posts),
    figure("calls", ours.calls, "", "lower", original.calls),
    figure("calls-per-post", perPost(ours), "", "lower", perPost(original)),
    figure("most-calls-of-held", ours.mostCalls, "", "lower", original.mostCalls),
    figure("tokens", tokens, "estimated", "lower"),
    figure("cost", usd, "USD, estimated", "lower"),
    figure("considered.min", Math.min(...looks), "looks", "higher", Math.min(...theirs)),
    figure("considered.median", median(looks), "looks", "higher", median(theirs)),
    figure("considered.max", Math.max(...looks), "looks", "lower", Math.max(...theirs)),
    figure("considered.gini", gini(looks), "0 is even", "lower", gini(theirs)),
  ]
}

function rowOf(eagerness: number, name: string, tally: Tally, { tokens, usd }: Cost): string {
  const looks = [...tally.considered.values()]
  const shares = [Math.min(...looks), median(looks), Math.max(...looks)].join(" / ")
  const cells = [
    ...[eagerness, name, tally.posts, tally.calls, perPost(tally).toFixed(1), tally.mostCalls],
    ...[`${(tokens / 1e6).toFixed(1)} M`, `$${usd.toFixed(2)}`, shares, gini(looks).toFixed(3)],
  ]
  return `| ${cells.join(" | ")} |`
}

function perPost({ calls, posts }: Tally): number {
  return posts === 0 ? calls : calls / posts
}

/** How unevenly something is spread: 0 where all have the same, near 1 where one has all. */
function gini(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const total = sum(sorted)
  if (total === 0) return 0
  const weighted = sum(sorted.map((value, index) => (2 * (index + 1) - sorted.length - 1) * value))
  return weighted / (sorted.length * total)
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0)
}
