import { shorten } from "../../../base/text/text.ts"
import { withTimeout } from "../../../base/with-timeout.ts"
import type { Host } from "../../../config/paths.ts"
import { programEnvironment } from "../../../llm/bridges/program-environment.ts"
import { runProgram } from "../../../llm/bridges/run-program.ts"
import type { Notice, Notifier, SendResult } from "../notice.ts"

const timeoutMs = 10_000
const longest = 400
/** The variables of the user's desktop session. */
const desktopVariables = ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"]

/** Shows notices on the desktop of the user who runs the daemon, with the system's own program. */
export function desktopNotifier(
  { clock, env }: Pick<Host, "clock" | "env">,
  { program, isMac }: { program: string; isMac: boolean },
): Notifier {
  return {
    id: "desktop",
    person: "owner",
    isPrivate: true,
    supportsLinks: false,
    deduplicates: false,
    async send(notice, signal) {
      const args = isMac ? appleArguments(notice) : linuxArguments(notice)
      const variables = programEnvironment(env, desktopVariables, {})
      const ended = await withTimeout(clock, timeoutMs, signal, (either) =>
        runProgram(
          { clock },
          { command: program, args, env: variables, cwd: env.temporary, input: "", signal: either },
        ),
      )
      return resultOf(ended, program)
    },
  }
}

function resultOf(ended: Awaited<ReturnType<typeof runProgram>>, program: string): SendResult {
  if (ended.outcome === "missing")
    return { outcome: "failed", reason: `${program} cannot be run`, retry: false }
  if (ended.outcome !== "ended") return { outcome: "unknown", reason: `${program} did not end in time` }
  if (ended.code === 0) return { outcome: "sent" }
  return { outcome: "failed", reason: `${program} ended with ${ended.code ?? ended.killedBy}`, retry: true }
}

/** After -- nothing is an option. Desktops parse the body as markup, so it is escaped. */
function linuxArguments({ title, brief, urgency }: Notice): string[] {
  const level = { low: "low", normal: "normal", high: "critical" }[urgency]
  const body = escaped(shorten(brief, longest))
  return ["--app-name=Reverie", `--urgency=${level}`, "--", shorten(title, 100), body]
}

/** The texts are arguments of the script, never part of it. Untested on macOS. */
function appleArguments({ title, brief }: Notice): string[] {
  const script = [
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
  ]
  const texts = [shorten(title, 100), shorten(brief, longest)].map((text) => text.replace(/^-/, "\u2010"))
  return [...script.flatMap((line) => ["-e", line]), ...texts]
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
