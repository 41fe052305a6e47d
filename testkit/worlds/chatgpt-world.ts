import { readFileSync } from "node:fs"
import { join } from "node:path"
import { systemRandom } from "../../src/base/random.ts"
import { type SignInResult, signInByBrowser } from "../../src/llm/signin/sign-in.ts"
import { browse } from "../browse.ts"
import { createManualClock } from "../manual-clock.ts"
import { throwawayFolder } from "../program/home.ts"
import { type ScriptedIssuer, startIssuer } from "../scripted-issuer.ts"

/** A place to sign in from: an issuer, a file for the tokens and a clock that stands still. */
export async function openChatgptWorld(script: Partial<ScriptedIssuer["script"]> = {}) {
  const issuer = await startIssuer(script)
  const clock = createManualClock()
  const credentialsFile = join(throwawayFolder(), "data", "credentials.json")
  const needs = { clock, random: systemRandom, fetch, issuer: issuer.url, credentialsFile }
  return {
    issuer,
    clock,
    needs,
    /** Signs in with a browser that does this with the address it is shown. */
    signIn(
      use: (url: string) => void = browse,
      signal = new AbortController().signal,
    ): Promise<SignInResult> {
      return signInByBrowser({ ...needs, signal, show: use }, [0])
    },
    /** What is in the file. */
    kept(): { chatgpt?: Record<string, unknown> } {
      return JSON.parse(readFileSync(credentialsFile, "utf8"))
    },
  }
}
