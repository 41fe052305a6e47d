import { z } from "zod"
import { messageOf, UserError } from "../../../base/errors.ts"
import { isSafeForKeys, problemWithAddress } from "../../../base/net/web-address.ts"
import { cleanName } from "../text/clean.ts"
import { botPage, wrongToken } from "./messages.ts"

export interface CheckedBot {
  id: string
  name: string
  applicationId: string
  /** Whether it has the Message Content Intent. */
  mayReadContent: boolean
}

const discordApi = "https://discord.com/api"
const answerWithinMs = 15_000
/** The flags of the Message Content Intent: granted after a review, or to bots in few servers. */
const contentFlags = (1 << 18) | (1 << 19)

const userSchema = z.object({ id: z.string(), username: z.string(), bot: z.boolean().optional() })
const applicationSchema = z.object({ id: z.string(), flags: z.int().optional() })

/** Why a text cannot be a bot's token, without quoting it; undefined if it can. */
export function problemWithToken(token: string): string | undefined {
  if (token === "") return `There is no token; create one at ${botPage} (your application, Bot, Reset Token).`
  if (/^[\w-]{18,}\.[\w-]{4,}\.[\w-]{20,}$/.test(token)) return undefined
  return `That is not the token of a Discord bot, which has three parts separated by dots; copy it again from ${botPage} (your application, Bot).`
}

/** Asks Discord which bot a token belongs to. */
export async function checkToken(token: string, apiUrl: string): Promise<CheckedBot> {
  const base = (apiUrl === "" ? discordApi : apiUrl).replace(/\/+$/, "")
  const problem = problemWithAddress(base)
  if (problem !== undefined) throw new UserError("usage", `chat.discord.api_url ${problem}.`)
  if (!isSafeForKeys(base))
    throw new UserError("usage", "chat.discord.api_url must use https: the bot's token goes there.")
  const user = await ask(`${base}/v10/users/@me`, token, userSchema)
  if (user.bot !== true)
    throw new UserError(
      "failed",
      `That is the token of a user account, and Discord allows only bots; create one at ${botPage}.`,
    )
  const application = await ask(`${base}/v10/applications/@me`, token, applicationSchema)
  return {
    id: user.id,
    name: cleanName(user.username, user.id),
    applicationId: application.id,
    mayReadContent: ((application.flags ?? 0) & contentFlags) !== 0,
  }
}

async function ask<T>(url: string, token: string, schema: z.ZodType<T>): Promise<T> {
  let status: number
  let body: unknown
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bot ${token}` },
      redirect: "error",
      signal: AbortSignal.timeout(answerWithinMs),
    })
    status = response.status
    body = await response.json()
  } catch (error) {
    const reason = `Discord could not be asked (${messageOf(error)}); nothing was saved. Try again, or give --no-check.`
    throw new UserError("failed", reason, { cause: error })
  }
  if (status === 401) throw new UserError("failed", wrongToken)
  const parsed = schema.safeParse(body)
  if (status === 200 && parsed.success) return parsed.data
  throw new UserError(
    "failed",
    `Discord answered with status ${status}; nothing was saved. Try again, or give --no-check.`,
  )
}
