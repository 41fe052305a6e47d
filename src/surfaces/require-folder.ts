import { existsSync, statSync } from "node:fs"
import { UserError } from "../base/errors.ts"

/** Returns the path of a project's folder, or throws a usage error if it is not an existing folder. */
export function requireFolder(path: string): string {
  if (!existsSync(path))
    throw new UserError("usage", `The project folder ${path} does not exist; give an existing one.`)
  if (!statSync(path).isDirectory())
    throw new UserError("usage", `${path} is not a folder; give the project's folder.`)
  return path
}
