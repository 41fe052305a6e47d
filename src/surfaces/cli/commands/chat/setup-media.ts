import { UserError } from "../../../../base/errors.ts"
import { keyedMedia } from "../../../../chat/media/keyed-media.ts"
import { noteChange } from "../../accounts.ts"
import { askSecret, callOff } from "../../ask.ts"
import type { CliNeeds } from "../../needs.ts"
import { readAll } from "../../read-all.ts"

export interface MediaKeyOptions {
  withKey?: boolean
  json?: boolean
}

/** Keeps the key for a server of pictures, videos or GIFs outside the configuration. */
export async function setUpMedia(needs: CliNeeds, server: string, options: MediaKeyOptions): Promise<void> {
  const { keyVariables, saveMediaKey } = await import("../../../../chat/media/keys.ts")
  const name = keyedMedia.find((one) => one === server)
  if (name === undefined)
    throw new UserError("usage", `${server} has no key of its own; name one of ${keyedMedia.join(", ")}.`)
  const typed = options.withKey
    ? await readAll(needs.input)
    : await askSecret(needs, { name: "key", of: ` for ${name}`, option: "--with-key" })
  if (typed === undefined) return callOff(needs)
  const key = typed.trim()
  if (!/^[\x21-\x7e]{8,500}$/.test(key))
    throw new UserError("usage", "That is no key: one has at least 8 characters and no spaces.")
  const { credentialsFile } = needs.paths
  await saveMediaKey({ ...needs, credentialsFile }, name, key)
  await noteChange(needs, name, "saved")
  if (options.json) return needs.output.json({ schemaVersion: 1, server: name, saved: true })
  needs.output.say(`Saved the key in ${credentialsFile}. ${keyVariables[name]} wins over it where it is set.`)
}
