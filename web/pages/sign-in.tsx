import { Marked } from "../parts/basics.tsx"

/** The page for browsers that are not signed in. */
export function SignIn({ problem }: { problem?: string | undefined }) {
  return (
    <main className="sign-in">
      <div className="card">
        <img src="/icon.svg" alt="" />
        <h1>Sign in to Reverie</h1>
        <p>
          Run <code>reverie web</code> in a terminal on this machine. It opens this page with a link that
          works once.
        </p>
        {problem === undefined ? (
          <p className="faint small">There is no password. Your terminal is the proof that it is you.</p>
        ) : (
          <p className="notice bad" role="alert">
            <Marked text={problem} />
          </p>
        )}
      </div>
    </main>
  )
}
