import { createHash } from "node:crypto"
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { z } from "zod"
import { codeOf, UserError } from "../base/errors.ts"
import { makePrivateFolder, requireOwnFolder } from "../base/files/files.ts"
import { newId, type Random } from "../base/random.ts"

const installSchema = z.object({ id: z.string().min(8), token: z.string().min(32) })

/** The installation's id, and the token that requests over TCP must send. */
export type Install = z.infer<typeof installSchema>

/** Reads the installation's identity and creates it on first use. Processes that race end up with the same one. */
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

/** The token for hooks over HTTP. Other tools' settings contain it, which people publish, so it is valid for hooks only. */
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
    // Unlike a rename, a link fails if another process was first.
    linkSync(temporary, file)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}
