import { type Command, Option } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { exitCodes } from "../../../../base/errors.ts"
import { count } from "../../../../base/text/text.ts"
import { type Job, jobs } from "../../../../llm/choice/catalog.ts"
import { withClient } from "../../api-command.ts"
import { withCommandName } from "../../command-name.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"

interface Options {
  json?: boolean
  retry?: boolean
  test?: true | Job
}

/** `reverie models` */
export function modelsCommand(program: Command, needs: CliNeeds): void {
  program
    .command("models")
    .description("show which model each job uses, and what is missing")
    .option("--retry", "use providers again that were stopped after errors")
    .addOption(
      new Option("--test [job]", "send a short test prompt to the job's model (or each job's)").choices(jobs),
    )
    .option("--json", "print JSON")
    .action(async (options: Options) => {
      if (options.retry) await retry(needs)
      if (options.test) return test(needs, options.test === true ? jobs : [options.test], options.json)
      const answer = await withClient(needs, (client) => client.models())
      if (options.json) return needs.output.json(answer)
      show(needs, answer)
    })
}

async function retry(needs: CliNeeds): Promise<void> {
  const { pools } = await withClient(needs, (client) => client.retryModels())
  needs.output.say(
    pools.length === 0 ? "Nothing was stopped." : `${count(pools.length, "provider")} will be used again.`,
  )
}

async function test(needs: CliNeeds, which: readonly Job[], json = false): Promise<void> {
  const answers: Answer<"testModel">[] = []
  await withClient(needs, async (client) => {
    for (const job of which) answers.push(await client.testModel({ job }))
  })
  const failures = answers.flatMap((answer) => (answer.outcome === "failed" ? [answer.failure.kind] : []))
  if (failures.length > 0)
    needs.setExitCode(
      failures.every((kind) => kind === "rate-limited") ? exitCodes.limited : exitCodes.failed,
    )
  if (json) return needs.output.json({ schemaVersion: 1, tests: answers })
  const rows = answers.map((answer) =>
    answer.outcome === "failed"
      ? [answer.job, "failed", answer.failure.message]
      : [answer.job, "ok", `${answer.by.access}/${answer.by.model} answered in ${answer.tookMs} ms`],
  )
  needs.output.data(table(rows, needs.output.width))
}

const purposes = {
  gardener: "Tends memory, works on branches",
  chat: "Writes in chat channels",
  extraction: "Reads finished sessions",
  judge: "Decides which memories matter to a prompt",
}

function show({ output, env }: CliNeeds, { jobs, ways }: Answer<"models">): void {
  const named = (text: string) => withCommandName(text, env.command)
  const rows = jobs.map(({ job, chosen, why }) => [
    job,
    chosen ? `${chosen.access}/${chosen.model}` : "none",
    named(`${purposes[job]}. ${why}`),
  ])
  output.data(table(rows, output.width))
  output.data("")
  const used = new Set(jobs.flatMap(({ chosen }) => (chosen ? [chosen.access] : [])))
  for (const way of ways) {
    const candidate = jobs[0]?.candidates.find(({ access }) => access === way.access)
    const { mark, colour } = used.has(way.access) ? marks.used : marks[markOf(way, candidate)]
    const line = table(
      [[mark.padEnd(5), way.access.padEnd(10), named(candidate?.why ?? way.detail)]],
      output.width,
    )
    output.data(output.paint(colour, line))
  }
  if (used.size === 0)
    output.say(
      "\nReverie works by rules alone. One of the models above gives better results; see docs/models.md.",
    )
}

const marks = {
  used: { mark: "used", colour: "green" },
  ready: { mark: "ready", colour: "cyan" },
  held: { mark: "held", colour: "yellow" },
  missing: { mark: "-", colour: "dim" },
} as const

function markOf(
  { ready }: Answer<"models">["ways"][number],
  candidate: { usable: boolean } | undefined,
): keyof typeof marks {
  if (!ready) return "missing"
  return candidate && !candidate.usable ? "held" : "ready"
}
