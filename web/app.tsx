import { useEffect, useState } from "react"
import { SignIn } from "./pages/sign-in.tsx"
import { Shell } from "./shell.tsx"
import { client, pageKey, signIn } from "./state/client.ts"
import { startLive } from "./state/live.ts"
import { messageOf } from "./state/use-data.ts"

type Standing = { is: "looking" } | { is: "in" } | { is: "out"; problem?: string }

/** The dashboard, once this browser is signed in. */
export function App() {
  const [standing, setStanding] = useState<Standing>({ is: "looking" })
  useEffect(() => {
    void enter().then(setStanding)
    // A link that is opened where the page is open already changes the address only.
    const again = () => void (codeInAddress() === undefined ? undefined : enter().then(setStanding))
    window.addEventListener("hashchange", again)
    return () => window.removeEventListener("hashchange", again)
  }, [])
  if (standing.is === "looking") return null
  if (standing.is === "out") return <SignIn problem={standing.problem} />
  return <Shell />
}

function codeInAddress(): string | undefined {
  return /^#sign-in=([\w-]+)$/.exec(window.location.hash)?.[1]
}

let entering: Promise<Standing> | undefined

/** Signs in with the code in the address, or with what this browser has. The code leaves the address first. */
function enter(): Promise<Standing> {
  const code = codeInAddress()
  if (code !== undefined) {
    window.history.replaceState(null, "", window.location.pathname + window.location.search)
    entering = signIn(code).then(begin, (error: unknown) => orKnown(messageOf(error)))
  }
  entering ??= orKnown()
  return entering
}

/** A browser that is signed in stays so, whatever came of a link. */
async function orKnown(problem?: string): Promise<Standing> {
  const out: Standing = { is: "out", ...(problem === undefined ? {} : { problem }) }
  if (pageKey() === "") return out
  try {
    await client.daemon()
    return begin()
  } catch (error) {
    return problem === undefined && messageOf(error).includes("daemon")
      ? { ...out, problem: messageOf(error) }
      : out
  }
}

function begin(): Standing {
  startLive()
  return { is: "in" }
}
