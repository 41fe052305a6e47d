import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import type { Asked } from "../../../../api/contract/requests.ts"
import { UserError } from "../../../../base/errors.ts"
import { count, shorten } from "../../../../base/text/text.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"
import { wholeNumber } from "../../whole-number.ts"

interface ScopeOptions {
  project?: string | true
  allProjects?: boolean
  json?: boolean
}

/** Where the user looks from; the command line knows how to tell. */
type View = (options: ScopeOptions) => { project?: string; allProjects?: "true" }

interface ClusterOptions extends ScopeOptions {
  refresh?: boolean
  members: number
}

/** `reverie memory clusters` */
export function clustersCommand(memory: Command, needs: CliNeeds, view: View): void {
  scopeOptions(memory.command("clusters").description("show the clusters of memories that were found last"))
    .option("--refresh", "find clusters and inferred tags again first")
    .option("--members <number>", "how many of each are shown, 1 to 100", wholeNumber(100), 3)
    .action(async (options: ClusterOptions) => {
      const seen = view(options)
      const query = { ...seen, members: options.members }
      const { refreshed, listed } = await withClient(needs, async (client) => ({
        refreshed: options.refresh ? await client.refreshClusters(wider(seen)) : undefined,
        listed: await client.clusters(query),
      }))
      if (options.json)
        return needs.output.json({ ...listed, ...(refreshed ? { refreshed: refreshed.places } : {}) })
      if (refreshed) needs.output.say(refreshText(refreshed))
      if (listed.clusters.length === 0) return needs.output.say(nothingYet)
      for (const { id, name, size, projectName, members } of listed.clusters) {
        const where = projectName === null ? "" : `  (${projectName})`
        const head = `${shorten(name, 80)}  ${count(size, "memory", "memories")}${where}`
        const lines = members.map((one) => `  ${one.id}  ${shorten(one.content, 100)}`)
        needs.output.data([`${head}  ${needs.output.paint("dim", id)}`, ...lines].join("\n"))
      }
    })
}

const nothingYet =
  "There are no clusters yet; the daemon finds them when there is enough, or `reverie memory clusters --refresh`."

function wider({ project, allProjects }: ReturnType<View>): Asked<"refreshClusters"> {
  return allProjects ? { allProjects: true } : { project }
}

function refreshText({ places: scopes }: Answer<"refreshClusters">): string {
  const done = scopes.flatMap((scope) => (scope.outcome === "refreshed" ? [scope] : []))
  const sum = (pick: (scope: (typeof done)[number]) => number) =>
    done.reduce((total, scope) => total + pick(scope), 0)
  const missing = sum(({ withoutVector }) => withoutVector)
  const told = [
    `${count(
      sum(({ clusters }) => clusters),
      "cluster",
    )} of ${count(
      sum(({ members }) => members),
      "memory",
      "memories",
    )}`,
    `${count(
      sum(({ tags }) => tags.added),
      "tag",
    )} inferred`,
    ...(missing > 0 ? [`${count(missing, "memory", "memories")} without a vector left out`] : []),
    ...(done.length < scopes.length ? ["another run was quicker in some scopes"] : []),
  ]
  return `${told.join(", ")}.`
}

interface TagsOptions extends ScopeOptions {
  cleanUp?: boolean
  dryRun?: boolean
}

/** `reverie memory tags` */
export function tagsCommand(memory: Command, needs: CliNeeds, view: View): void {
  const tags = memory.command("tags").description("show the tags there are, and how often they are used")
  describeCommand(tags, needs)
  scopeOptions(tags)
    .option("--clean-up", "merge variants of a tag into the most used one, drop inferred ones used once")
    .option("--dry-run", "only say what the clean-up would do")
    .action(async (options: TagsOptions) => {
      if (options.dryRun && !options.cleanUp) {
        throw new UserError("usage", "--dry-run says what a clean-up would do; give --clean-up too.")
      }
      if (options.cleanUp) return cleanUp(needs, options)
      const answer = await withClient(needs, (client) => client.tags(view(options)))
      if (options.json) return needs.output.json(answer)
      if (answer.tags.length === 0) return needs.output.say("There are no tags yet.")
      const isDescribed = answer.tags.some(({ description }) => description !== undefined)
      const rows = answer.tags.map(({ name, memories, inferred, description }) => [
        name,
        String(memories),
        inferred > 0 ? `and ${inferred} inferred` : "",
        ...(isDescribed ? [description ?? ""] : []),
      ])
      needs.output.data(table(rows, needs.output.width))
    })
}

/** `reverie memory tags describe` */
function describeCommand(tags: Command, needs: CliNeeds): void {
  tags
    .command("describe <tag> [text...]")
    .description("say what a tag means; without a text, what was said is taken away")
    .option("--json", "answer in JSON")
    .action(async (tag: string, text: string[], options: { json?: boolean }, command: Command) => {
      const asked = { tag, description: text.join(" "), from: needs.cwd }
      const answer = await withClient(needs, (client) => client.describeTag(asked))
      if (options.json || command.optsWithGlobals().json) return needs.output.json(answer)
      const said = answer.description === null ? "has no description now" : `means: ${answer.description}`
      needs.output.say(`${answer.tag} ${said}`)
    })
}

async function cleanUp(needs: CliNeeds, { dryRun = false, json }: TagsOptions): Promise<void> {
  const answer = await withClient(needs, (client) => client.cleanUpTags({ dryRun }))
  if (json) return needs.output.json(answer)
  const lines = cleanUpLines(answer)
  if (lines.length === 0) return needs.output.say("The tags are tidy.")
  needs.output.data(lines.join("\n"))
  if (!dryRun) needs.output.say("Done; `reverie undo` takes it back.")
}

function cleanUpLines({ merged, dropped }: Answer<"cleanUpTags">): string[] {
  return [
    ...merged.map(
      ({ from, into, memories }) => `${from} → ${into}  (${count(memories, "memory", "memories")})`,
    ),
    ...dropped.map((tag) => `${tag} dropped  (inferred, used once)`),
  ]
}

function scopeOptions(command: Command): Command {
  return command
    .option("--project [dir]", "the project of this folder (default: the current one)")
    .option("--all-projects", "of every project")
    .option("--json", "answer in JSON")
}
