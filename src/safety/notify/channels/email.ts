import type { createTransport } from "nodemailer"
import type { Notice, Notifier, SendResult } from "../notice.ts"

interface MailServer {
  host: string
  port: number
  tls: "starttls" | "tls" | "none"
  user: string
  password: string | undefined
}

interface Letter {
  from: string
  to: string
}

const connectMs = 10_000
const silenceMs = 15_000

/** Sends notices by SMTP as plain text, so that nothing can look like a button. */
export function emailNotifier(server: MailServer, { from, to }: Letter): Notifier {
  return {
    id: `email:${to}`,
    person: to,
    isPrivate: true,
    supportsLinks: true,
    // Not every mailbox drops a second mail with the same Message-ID.
    deduplicates: false,
    server: { host: server.host, port: server.port },
    async send(notice, signal) {
      const { createTransport: create } = await import("nodemailer")
      return deliver(create(transportOf(server)), letterOf(notice, { from, to }), signal)
    },
  }
}

function transportOf({ host, port, tls, user, password }: MailServer) {
  return {
    host,
    port,
    secure: tls === "tls",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    ...(user === "" ? {} : { auth: { user, pass: password ?? "" } }),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    // A mail must not make the library read files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function letterOf({ id, title, text, urgency }: Notice, { from, to }: Letter) {
  return {
    from: { name: "Reverie", address: from },
    to: { name: "", address: to },
    subject: title,
    text,
    messageId: `<${id}@${from.slice(from.indexOf("@") + 1)}>`,
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    ...(urgency === "high" ? { priority: "high" as const } : {}),
  }
}

type Transport = ReturnType<typeof createTransport>

async function deliver(
  transport: Transport,
  letter: ReturnType<typeof letterOf>,
  signal: AbortSignal,
): Promise<SendResult> {
  // Before the server asks for the text, it cannot have accepted the mail.
  let isUnderWay = false
  transport.use("stream", (mail, done) => {
    const open = mail.message.createReadStream.bind(mail.message)
    mail.message.createReadStream = (options) => {
      isUnderWay = true
      return open(options)
    }
    done()
  })
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(signal.reason)
  signal.addEventListener("abort", stop, { once: true })
  try {
    // The library cannot stop in the middle of a mail; we stop waiting for it.
    await Promise.race([transport.sendMail(letter), stopped.promise])
    return { outcome: "sent" }
  } catch (error) {
    // An abandoned mail may still arrive.
    return failed(error, isUnderWay || signal.aborted)
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

/** The server's answer decides, or else how far sending had come. Only its code is recorded, not its text. */
function failed(error: unknown, isUnderWay: boolean): SendResult {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown }
  if (typeof responseCode === "number" && responseCode >= 400) {
    const what = code === "EAUTH" ? "the mail server refused the sign-in" : "the mail server refused it"
    return { outcome: "failed", reason: `${what} (${responseCode})`, retry: responseCode < 500 }
  }
  const detail = typeof code === "string" && /^[A-Z_]{2,40}$/.test(code) ? ` (${code})` : ""
  if (isUnderWay) return { outcome: "unknown", reason: `the mail server did not confirm it${detail}` }
  if (code === "EAUTH" || code === "ETLS")
    return { outcome: "failed", reason: `the mail server cannot be used safely${detail}`, retry: false }
  return { outcome: "failed", reason: `the mail server cannot be reached${detail}`, retry: true }
}
