import { useEffect, useState } from "react"
import { SignIn } from "./pages/sign-in.tsx"
import { Shell } from "./shell.tsx"
import { client, pageKey, signIn } from "./state/client.ts"
import { startLive } from "./state/live.ts"
import { messageOf } from "./state/use-data.ts"

type SignInState = { is: "checking" } | { is: "in" } | { is: "out"; problem?: string }

/** The dashboard, once this browser is signed in. */
export function App() {
  const [state, setState] = useState<SignInState>({ is: "checking" })
  useEffect(() => {
    void signInOnce().then(setState)
    // Opening a sign-in link in an open page changes only the hash.
    const again = () => void (codeInAddress() === undefined ? undefined : signInOnce().then(setState))
    window.addEventListener("hashchange", again)
    return () => window.removeEventListener("hashchange", again)
  }, [])
  if (state.is === "checking") return null
  if (state.is === "out") return <SignIn problem={state.problem} />
  return <Shell />
}

function codeInAddress(): string | undefined {
  return /^#sign-in=([\w-]+)$/.exec(window.location.hash)?.[1]
}

let signingIn: Promise<SignInState> | undefined

/** Signs in with the code in the address, or with this browser's key. Removes the code from the address first. */
function signInOnce(): Promise<SignInState> {
  const code = codeInAddress()
  if (code !== undefined) {
    window.history.replaceState(null, "", window.location.pathname + window.location.search)
    signingIn = signIn(code).then(startPage, (error: unknown) => checkSignedIn(messageOf(error)))
  }
  signingIn ??= checkSignedIn()
  return signingIn
}

/** A browser that is signed in stays signed in, even if a link failed. */
async function checkSignedIn(problem?: string): Promise<SignInState> {
  const out: SignInState = { is: "out", ...(problem === undefined ? {} : { problem }) }
  if (pageKey() === "") return out
  try {
    await client.daemon()
    return startPage()
  } catch (error) {
    return problem === undefined && messageOf(error).includes("daemon")
      ? { ...out, problem: messageOf(error) }
      : out
  }
}

function startPage(): SignInState {
  startLive()
  return { is: "in" }
}
