import { createHash } from "node:crypto"
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { z } from "zod"
import { codeOf, UserError } from "../base/errors.ts"
import { makePrivateFolder, requireOwnFolder } from "../base/files/files.ts"
import { newId, type Random } from "../base/random.ts"

const installSchema = z.object({ id: z.string().min(8), token: z.string().min(32) })

/** Who this installation is, and the token that requests over TCP must show. */
export type Install = z.infer<typeof installSchema>

/** Reads the installation's identity, making it on first use; processes that race agree on one. */
export function loadInstall(file: string, random: Random): Install {
  if (existsSync(dirname(file))) requireOwnFolder(dirname(file))
  if (!existsSync(file)) create(file, random)
  try {
    return installSchema.parse(JSON.parse(readFileSync(file, "utf8")))
  } catch (error) {
    const advice = "remove it and a new one is made (tools that use the token must be connected again)."
    throw new UserError("config", `${file} is not readable as an installation file; ${advice}`, {
      cause: error,
    })
  }
}

/**
 * The token that hooks over HTTP show. It stands in other tools' settings, which people copy and publish, so it opens
 * nothing but the hooks.
 */
export function hookToken(token: string): string {
  return createHash("sha256").update(`hooks:${token}`).digest("base64url")
}

function create(file: string, random: Random): void {
  const token = Buffer.from(random.bytes(32)).toString("base64url")
  const install: Install = { id: newId(random, "install"), token }
  const temporary = `${file}.${process.pid}.tmp`
  makePrivateFolder(dirname(file))
  writeFileSync(temporary, `${JSON.stringify(install)}\n`, { mode: 0o600 })
  try {
    // A link fails if another process was first, where a rename would overwrite its identity.
    linkSync(temporary, file)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}
