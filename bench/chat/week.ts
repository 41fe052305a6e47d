import { playWeek, type WeekRow, weekSettings } from "../../testkit/chat/week/play.ts"
import type { Bench, Figure } from "../shared/figures.ts"

/** US dollars for a million tokens, in and out: a small, fast model. */
const prices = { input: 1, output: 5 }

/** A week of six rooms with the defaults, and with listening switched on. */
export async function runWeek(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, isListening] of [
    ["defaults", false],
    ["listening", true],
  ] as const) {
    const rows = await playWeek(1, weekSettings(isListening))
    const all = total(rows)
    bench.say(tableOf(name, [...rows, all]))
    const figure = (id: string, value: number, unit: string): Figure => ({
      ...{ id: `week.${name}.${id}`, value, unit, better: "lower" },
    })
    figures.push(
      figure("messages", all.messages, ""),
      figure("calls", all.calls, ""),
      figure("posts", all.posts, ""),
      figure("silence", all.calls > 0 ? (100 * all.silences) / all.calls : 0, "% of calls"),
      figure("tokens", all.inputTokens + all.outputTokens, "estimated"),
      figure("cost", costOf(all), "USD"),
    )
  }
  return figures
}

function total(rows: readonly WeekRow[]): WeekRow {
  const sum = (name: Exclude<keyof WeekRow, "room">) => rows.reduce((all, row) => all + row[name], 0)
  return {
    ...{ room: "all", messages: sum("messages"), calls: sum("calls"), posts: sum("posts") },
    ...{ silences: sum("silences"), inputTokens: sum("inputTokens"), outputTokens: sum("outputTokens") },
  }
}

function costOf({ inputTokens, outputTokens }: WeekRow): number {
  return (inputTokens * prices.input + outputTokens * prices.output) / 1e6
}

function tableOf(name: string, rows: readonly WeekRow[]): string {
  const lines = rows.map((row) => {
    const silence = row.calls > 0 ? `${Math.round((100 * row.silences) / row.calls)} %` : "–"
    const tokens = Math.round((row.inputTokens + row.outputTokens) / 1000)
    const { room, messages, calls, posts } = row
    return `| ${room} | ${messages} | ${calls} | ${posts} | ${silence} | ${tokens} k | $${costOf(row).toFixed(2)} |`
  })
  return [
    `With ${name}:`,
    "| room | messages | calls | posts | silence | tokens | cost |",
    "|---|---|---|---|---|---|---|",
    ...lines,
  ].join("\n")
}
