import { z } from "zod"
import { openDraft } from "../coding/work/publish/pull-request.ts"
import { pushBranch } from "../coding/work/publish/push.ts"
import { readWorktree } from "../coding/work/worktree/marker.ts"
import type { Environment } from "../config/environment.ts"
import type { Paths } from "../config/paths.ts"
import { askGit } from "../git/run-git.ts"
import { defineTool, type Tool, toolError } from "../safety/tool.ts"

export interface PushToolContext {
  paths: Pick<Paths, "stateDir">
  env: Pick<Environment, "variable">
}

/** Pushes a change that a person has seen. It runs after their approval, or if the rules allow it. */
export function pushTool({ paths, env }: PushToolContext): Tool {
  return defineTool({
    name: "push_branch",
    description: "Push the branch of a change to a remote, and perhaps open a draft pull request.",
    input: z.object({
      work: z.string().regex(/^work_[a-z0-9]+$/),
      branch: z.string().max(200),
      commit: z.string().regex(/^[0-9a-f]{40,64}$/),
      remote: z.string().min(1).max(200),
      draft: z.boolean().default(false),
      title: z.string().max(200).default(""),
      body: z.string().max(4000).default(""),
    }),
    tier: "ask",
    effects: ({ remote, branch, draft }) => [
      { kind: "push", remote, branch },
      ...(draft ? [{ kind: "message", to: remote } as const] : []),
    ],
    // It first checks what the remote has, so repeating it has no further effect.
    isRepeatable: true,
    async run({ work, branch, commit, remote, draft, title, body }, signal) {
      const worktree = await readWorktree({ paths }, work)
      if (worktree === undefined || worktree.branch !== branch || worktree.tip !== commit)
        return toolError(`Not pushed: ${work} is no longer what was shown.`)
      const pushed = await pushBranch({ paths }, worktree, { remote, commit, signal })
      if (pushed.outcome !== "pushed") return toolError(`Not pushed: ${pushed.reason}.`)
      const done = `Pushed ${branch} to ${remote}${pushed.already ? " (it was already there)" : ""}.`
      if (!draft) return done
      const base = (await askGit(worktree.project, "symbolic-ref", "--short", "-q", "HEAD")) ?? "main"
      const token = env.variable("GITHUB_TOKEN") ?? env.variable("GH_TOKEN")
      const opened = await openDraft({ remote: pushed.remote, branch, base, title, body, token })
      if (opened.outcome === "opened") return `${done} Draft pull request: ${opened.url}`
      if (opened.outcome === "link") return `${done} Open a pull request here: ${opened.url}`
      return `${done} No pull request was opened: ${opened.reason}.`
    },
  })
}
