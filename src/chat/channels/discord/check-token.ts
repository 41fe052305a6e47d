import { z } from "zod"
import { messageOf, UserError } from "../../../base/errors.ts"
import { mayCarryKey, problemWithAddress } from "../../../base/net/web-address.ts"
import { cleanName } from "../text/clean.ts"
import { botPage, wrongToken } from "./sentences.ts"

export interface CheckedBot {
  id: string
  name: string
  applicationId: string
  /** Whether it may read messages that do not mention it. */
  mayReadContent: boolean
}

const discordApi = "https://discord.com/api"
const answerWithinMs = 15_000
/** Granted after a review, or to bots in few servers. */
const contentFlags = (1 << 18) | (1 << 19)

const userSchema = z.object({ id: z.string(), username: z.string(), bot: z.boolean().optional() })
const applicationSchema = z.object({ id: z.string(), flags: z.int().optional() })

/** Why a text cannot be a bot's token, in a sentence that does not quote it; undefined if it can. */
export function problemWithToken(token: string): string | undefined {
  if (token === "")
    return `There is no token; one is made at ${botPage} (your application, Bot, Reset Token).`
  if (/^[\w-]{18,}\.[\w-]{4,}\.[\w-]{20,}$/.test(token)) return undefined
  return `That is no token of a Discord bot, which has three parts with points between; copy it again from ${botPage} (your application, Bot).`
}

/** Asks Discord whose token it is. */
export async function checkToken(token: string, apiUrl: string): Promise<CheckedBot> {
  const base = (apiUrl === "" ? discordApi : apiUrl).replace(/\/+$/, "")
  const problem = problemWithAddress(base)
  if (problem !== undefined) throw new UserError("usage", `chat.discord.api_url ${problem}.`)
  if (!mayCarryKey(base))
    throw new UserError("usage", "chat.discord.api_url must use https: the bot's token goes there.")
  const user = await ask(`${base}/v10/users/@me`, token, userSchema)
  if (user.bot !== true)
    throw new UserError(
      "failed",
      `That is the token of a person's account, and Discord allows bots only; make one at ${botPage}.`,
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
