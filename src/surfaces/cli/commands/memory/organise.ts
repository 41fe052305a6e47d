import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { UserError } from "../../../../base/errors.ts"
import { count, shorten } from "../../../../base/text/text.ts"
import { apiCommand, withClient } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { wholeNumber } from "../../option-values.ts"
import { table } from "../../output.ts"
import { projectOptions, type ScopeOptions, scopeOf } from "../../scope-options.ts"

interface ClusterOptions extends ScopeOptions {
  refresh?: boolean
  members: number
}

/** `reverie memory clusters` */
export function clustersCommand(memory: Command, needs: CliNeeds): void {
  apiCommand(
    needs,
    projectOptions(memory.command("clusters").description("show which memories belong together"))
      .option("--refresh", "find clusters and inferred tags again first")
      .option("--members <number>", "how many of each are shown, 1 to 100", wholeNumber(100), 3),
    async (client, { refresh, members, ...options }: ClusterOptions) => {
      const scope = scopeOf(needs, options)
      const { project } = { project: undefined, ...scope }
      const request = options.allProjects ? { allProjects: true } : { project }
      const refreshed = refresh ? { refreshed: (await client.refreshClusters(request)).places } : {}
      return { ...(await client.clusters({ ...scope, members })), ...refreshed }
    },
    ({ clusters, refreshed }) => {
      if (refreshed) needs.output.say(refreshText(refreshed))
      if (clusters.length === 0) return needs.output.say(noClusters)
      for (const { id, name, size, projectName, members } of clusters) {
        const project = projectName === null ? "" : `  (${projectName})`
        const head = `${shorten(name, 80)}  ${count(size, "memory", "memories")}${project}`
        const lines = members.map((one) => `  ${one.id}  ${shorten(one.content, 100)}`)
        needs.output.data([`${head}  ${needs.output.paint("dim", id)}`, ...lines].join("\n"))
      }
    },
  )
}

const noClusters =
  "There are no clusters yet; the daemon finds them when there are enough memories, or `reverie memory clusters --refresh`."

function refreshText(scopes: Answer<"refreshClusters">["places"]): string {
  const done = scopes.flatMap((scope) => (scope.outcome === "refreshed" ? [scope] : []))
  const total = { clusters: 0, members: 0, tags: 0, missing: 0 }
  for (const { clusters, members, tags, withoutVector } of done) {
    total.clusters += clusters
    total.members += members
    total.tags += tags.added
    total.missing += withoutVector
  }
  const parts = [
    `${count(total.clusters, "cluster")} of ${count(total.members, "memory", "memories")}`,
    `${count(total.tags, "tag")} inferred`,
    ...(total.missing > 0 ? [`${count(total.missing, "memory", "memories")} without a vector left out`] : []),
    ...(done.length < scopes.length ? ["another process refreshed some scopes first"] : []),
  ]
  return `${parts.join(", ")}.`
}

interface TagsOptions extends ScopeOptions {
  cleanUp?: boolean
  dryRun?: boolean
  json?: boolean
}

/** `reverie memory tags` */
export function tagsCommand(memory: Command, needs: CliNeeds): void {
  const tags = memory.command("tags").description("list the tags and how often they are used")
  describeCommand(tags, needs)
  projectOptions(tags)
    .option("--clean-up", "merge variants of a tag into the most used one, drop inferred ones used once")
    .option("--dry-run", "only say what the clean-up would do")
    .option("--json", "print JSON")
    .action(async (options: TagsOptions) => {
      if (options.dryRun && !options.cleanUp)
        throw new UserError("usage", "--dry-run says what a clean-up would do; give --clean-up too.")
      if (options.cleanUp) return cleanUp(needs, options)
      const answer = await withClient(needs, (client) => client.tags(scopeOf(needs, options)))
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
  apiCommand(
    needs,
    tags
      .command("describe <tag> [text...]")
      .description("say what a tag means; without a text, remove the description"),
    (client, tag: string, text: string[]) =>
      client.describeTag({ tag, description: text.join(" "), from: needs.cwd }),
    ({ tag, description }) =>
      needs.output.say(`${tag} ${description === null ? "has no description now" : `means: ${description}`}`),
  )
}

async function cleanUp(needs: CliNeeds, { dryRun = false, json }: TagsOptions): Promise<void> {
  const answer = await withClient(needs, (client) => client.cleanUpTags({ dryRun }))
  if (json) return needs.output.json(answer)
  const lines = [
    ...answer.merged.map(
      ({ from, into, memories }) => `${from} → ${into}  (${count(memories, "memory", "memories")})`,
    ),
    ...answer.dropped.map((tag) => `${tag} dropped  (inferred, used once)`),
  ]
  if (lines.length === 0) return needs.output.say("The tags are already clean.")
  needs.output.data(lines.join("\n"))
  if (!dryRun) needs.output.say("Done; `reverie undo` undoes it.")
}
