import { existsSync, statSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import { UserError } from "../../base/errors.ts"

/** From where a connection looks at memory. */
export interface ClientContext {
  /** The folder that a call without a project is about; undefined where only what holds everywhere is seen. */
  folder?: string | undefined
  /** The connection as a session; undefined over HTTP, where nothing ties one request to the next. */
  session?: string | undefined
}

/** A program that was started nowhere in particular (the home folder, the root) is in no project. */
export function startingFolder(cwd: string, userHome: string): string | undefined {
  return cwd === resolve("/") || cwd === resolve(userHome) ? undefined : cwd
}

/** The folder of the project a call is about. */
export function projectOf(context: ClientContext, given: string | undefined): string | undefined {
  if (given === undefined) return context.folder
  if (!isAbsolute(given) && context.folder === undefined)
    throw new UserError("usage", `project must be the whole path of a folder, and ${given} is none.`)
  const folder = resolve(context.folder ?? "/", given)
  if (!existsSync(folder))
    throw new UserError(
      "usage",
      `The project folder ${folder} does not exist; give the path of one that does.`,
    )
  if (!statSync(folder).isDirectory())
    throw new UserError("usage", `${folder} is not a folder; give the project's folder.`)
  return folder
}

/** What is visible from there, as the API takes it. */
export function viewFrom(
  context: ClientContext,
  asked: { project?: string | undefined; all_projects?: boolean },
) {
  const project = asked.all_projects ? undefined : projectOf(context, asked.project)
  return {
    ...(asked.all_projects ? { allProjects: "true" as const } : {}),
    ...(project === undefined ? {} : { project }),
    ...(context.session === undefined ? {} : { session: context.session }),
  }
}
