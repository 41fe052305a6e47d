import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import type { Command } from "commander"
import { UserError } from "../../../base/errors.ts"
import type { CliNeeds } from "../needs.ts"

/** From where a command looks at memories. */
export interface ViewOptions {
  project?: string | true
  allProjects?: boolean
  session?: string
  json?: boolean
}

/** The options that say from where one looks. */
export function viewOptions(command: Command): Command {
  return command
    .option("--project [dir]", "the project of this folder (default: the current one)")
    .option("--all-projects", "of every project")
    .option("--session <id>", "also what belongs to this session only")
    .option("--json", "answer in JSON")
}

/** What the user may see from here: global memories, and those of the project they are in. */
export function view(needs: CliNeeds, options: ViewOptions) {
  const project = options.allProjects ? undefined : folder(needs, options.project ?? true)
  return {
    ...(options.allProjects ? { allProjects: "true" as const } : {}),
    ...(project ? { project } : {}),
    ...(options.session ? { session: options.session } : {}),
  }
}

/** The whole path of a project's folder; a sentence if there is none. */
export function folder(needs: CliNeeds, given: string | true | undefined): string | undefined {
  if (given === undefined) return undefined
  const path = given === true ? needs.cwd : resolve(needs.cwd, given)
  if (!existsSync(path))
    throw new UserError("usage", `The project folder ${path} does not exist; give an existing one.`)
  if (!statSync(path).isDirectory())
    throw new UserError("usage", `${path} is not a folder; give the project's folder.`)
  return path
}

/** Puts together an option that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}
