import { isAbsolute, resolve } from "node:path"
import { UserError } from "../../base/errors.ts"
import { requireFolder } from "../require-folder.ts"

/** The project and session of one MCP connection. */
export interface ClientContext {
  /** The project folder of calls that name none; undefined where only global memories are visible. */
  folder?: string | undefined
  /** The connection's session; undefined over HTTP, where requests are independent. */
  session?: string | undefined
}

/** The project folder of a server that was started in `cwd`; none for the home folder and the root. */
export function startingFolder(cwd: string, userHome: string): string | undefined {
  return cwd === resolve("/") || cwd === resolve(userHome) ? undefined : cwd
}

/** The project folder of a call. */
export function projectOf(context: ClientContext, project: string | undefined): string | undefined {
  if (project === undefined) return context.folder
  if (!isAbsolute(project) && context.folder === undefined)
    throw new UserError("usage", `project must be the absolute path of a folder, not ${project}.`)
  return requireFolder(resolve(context.folder ?? "/", project))
}

/** The scope of a call, as the API takes it. */
export function scopeOf(
  context: ClientContext,
  { project, all_projects }: { project?: string | undefined; all_projects?: boolean },
) {
  if (all_projects) return { allProjects: "true" as const, session: context.session }
  return { project: projectOf(context, project), session: context.session }
}
