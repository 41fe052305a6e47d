import { resolve } from "node:path"
import type { Command } from "commander"
import { UserError } from "../../base/errors.ts"
import { requireFolder } from "../require-folder.ts"
import type { CliNeeds } from "./needs.ts"

/** Whose memories a command shows besides the global ones. */
export interface ScopeOptions {
  project?: string | true
  allProjects?: boolean
  session?: string
}

/** Adds the options that choose projects. */
export function projectOptions(command: Command): Command {
  return command
    .option("--project [dir]", "the project of this folder (default: the current one)")
    .option("--all-projects", "all projects")
}

/** Adds the options that choose projects and a session. */
export function scopeOptions(command: Command): Command {
  return projectOptions(command).option("--session <id>", "also memories of this session")
}

/** The scope as the API takes it: without options, global memories and those of the project the user is in. */
export function scopeOf(needs: CliNeeds, { allProjects, project, ...options }: ScopeOptions) {
  if (allProjects && project !== undefined)
    throw new UserError("usage", "Give --project or --all-projects, not both.")
  // A script may pass a variable that is empty.
  const session = options.session || undefined
  if (allProjects) return { allProjects: "true" as const, session }
  return { project: folder(needs, project ?? true), session }
}

/** The absolute path of a project's folder; `true` is the current one. Throws if there is no such folder. */
export function folder(needs: CliNeeds, dir: string | true | undefined): string | undefined {
  if (dir === undefined) return undefined
  return requireFolder(dir === true ? needs.cwd : resolve(needs.cwd, dir))
}
