import { UserError } from "../../../../base/errors.ts"
import { mediaKeyNames } from "../../../../chat/media/keyed-media.ts"
import { noteChange } from "../../accounts.ts"
import { readSecret, reportCancelled } from "../../ask.ts"
import type { CliNeeds } from "../../needs.ts"

export interface MediaKeyOptions {
  withKey?: boolean
  json?: boolean
}

/** Saves the key for pictures, videos or GIFs outside the configuration. */
export async function setUpMedia(needs: CliNeeds, server: string, options: MediaKeyOptions): Promise<void> {
  const { keyVariables, saveMediaKey } = await import("../../../../chat/media/keys.ts")
  const name = mediaKeyNames.find((one) => one === server)
  if (name === undefined)
    throw new UserError("usage", `${server} has no key of its own; name one of ${mediaKeyNames.join(", ")}.`)
  const secret = { name: "key", of: ` for ${name}`, option: "--with-key", isPiped: options.withKey }
  const key = await readSecret(needs, secret)
  if (key === undefined) return reportCancelled(needs)
  if (!/^[\x21-\x7e]{8,500}$/.test(key))
    throw new UserError("usage", "This is not a key: a key has at least 8 characters and no spaces.")
  const { credentialsFile } = needs.paths
  await saveMediaKey({ ...needs, credentialsFile }, name, key)
  await noteChange(needs, name, "saved")
  if (options.json) return needs.output.json({ schemaVersion: 1, server: name, saved: true })
  needs.output.say(
    `Saved the key in ${credentialsFile}. ${keyVariables[name]} takes precedence if it is set.`,
  )
}
