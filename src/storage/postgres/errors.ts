import { codeOf, messageOf, UserError } from "../../base/errors.ts"

/** Turns errors of the server or the network into a UserError; other errors pass unchanged. */
export function connectionError(error: unknown, database: string): unknown {
  if (error instanceof UserError) return error
  if (["42P01", "3F000"].includes(codeOf(error))) {
    const advice =
      "nothing was saved. Restore a backup of the server, or import the newest snapshot (`reverie snapshot list`) with `reverie memory import`, then start Reverie again."
    return new UserError("lost", `The tables in ${database} are gone (${messageOf(error)}); ${advice}`, {
      cause: error,
    })
  }
  const sentence = sentenceFor(error, database)
  return sentence === undefined ? error : new UserError("storage", sentence, { cause: error })
}

/** Whether an established connection broke, as opposed to a server that cannot be reached. */
export function isBrokenConnection(error: unknown): boolean {
  const cause = error instanceof UserError ? error.cause : error
  return (
    /^(57P01|ECONNRESET|EPIPE)$/.test(codeOf(cause)) ||
    /^Connection terminated( unexpectedly)?$|is not queryable$/.test(messageOf(cause))
  )
}

function sentenceFor(error: unknown, database: string): string | undefined {
  const code = codeOf(error) || codeOf(firstOf(error))
  switch (code) {
    case "28P01":
    case "28000":
      return `${database} refused the user or password; correct storage.url or REVERIE_DATABASE_URL.`
    case "3D000":
      return `${database} does not exist on that server; create it with createdb, or correct storage.url or REVERIE_DATABASE_URL.`
    case "42501":
      return `${database} does not let this user do that (${messageOf(error)}); ask its owner for the right to create a schema and the vector extension.`
    case "0A000":
    case "58P01":
    case "42704":
      return /vector/.test(messageOf(error))
        ? `${database} has no pgvector extension; install it on the server (Debian: postgresql-NN-pgvector) and try again.`
        : undefined
    case "55P03":
      return `Another process has locked ${database} for too long; run \`reverie doctor\` on its machine, and try again.`
    case "53100":
      return `The disk of ${database} is full; nothing was changed. Free some space there and try again.`
    case "25006":
      return `${database} is read-only (a standby or read-only mode); set storage.url to the primary server.`
    case "53300":
      return `${database} has no connection left; raise max_connections there or stop other clients.`
    default:
      return /^(E[A-Z]+|57P0[123]|25P03|08...)$/.test(code) ||
        /timeout|terminated|Connection/i.test(messageOf(error))
        ? `${database} does not answer (${messageOf(error) || code}); start the server, or correct storage.url or REVERIE_DATABASE_URL.`
        : undefined
  }
}

/** A failed connection to a host with several addresses is reported as an AggregateError. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? error.errors[0] : undefined
}
