import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { UserError } from "../../src/base/errors.ts"

/** Where a data set for measuring lies: beside the project, or where REVERIE_BENCH_DATA says. */
export function dataFolder(name: string): string {
  const folder = join(
    process.env.REVERIE_BENCH_DATA || fileURLToPath(new URL("../../../shared/data", import.meta.url)),
    name,
  )
  if (existsSync(folder)) return folder
  throw new UserError(
    "not-found",
    `The data this benchmark measures with is not at ${folder}; set REVERIE_BENCH_DATA to the folder that has ${name} in it.`,
  )
}
