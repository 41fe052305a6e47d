import { Hono } from "hono"
import { z } from "zod"
import { UserError } from "../../base/errors.ts"
import { schemaVersion } from "../answers/answer.ts"
import { bodyOf } from "../input.ts"
import type { Assets } from "./assets.ts"
import { cookieName, type SignIn, sessionMs } from "./sign-in.ts"

/** The dashboard: its sign-in and its files. */
export interface Dashboard {
  signIn: SignIn
  assets: Assets
}

const codeSchema = z.object({ code: z.string().min(1).max(200) })

const noPage = "There is no such page. If the dashboard is missing altogether, `npm run build` builds it."
const usedUp = "This sign-in link was already used or has expired; `reverie web` makes a new one."

/** The dashboard's routes: sign-in, sign-out and its files. Only loopback TCP serves them. */
export function webRoutes({ signIn, assets, port }: Dashboard & { port(): number }): Hono {
  const routes = new Hono()
  const cookie = (value: string, seconds: number) =>
    `${cookieName(port())}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict`
  routes.post("/web/sign-in", async (context) => {
    const { code } = await bodyOf(context, codeSchema)
    const session = signIn.redeem(code)
    if (session === undefined) throw new UserError("unauthorized", usedUp)
    context.header("set-cookie", cookie(session.cookie, sessionMs / 1000))
    context.header("cache-control", "no-store")
    return context.json({ schemaVersion, pageKey: session.pageKey })
  })
  routes.post("/web/sign-out", (context) => {
    context.header("set-cookie", cookie("", 0))
    return context.json({ schemaVersion, outcome: "signed-out" })
  })
  routes.get("*", (context) => {
    const asset = assets.find(context.req.path)
    if (asset === undefined) throw new UserError("not-found", noPage)
    return context.body(asset.body, 200, asset.headers)
  })
  return routes
}
