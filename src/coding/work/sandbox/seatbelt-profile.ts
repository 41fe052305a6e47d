import type { SandboxView } from "./sandbox.ts"

/** Folders of macOS with programs and the files that they need to start. */
export const system = [
  ...["/usr", "/bin", "/sbin", "/System", "/Library/Developer", "/Library/Frameworks", "/opt/homebrew"],
  ...["/Applications/Xcode.app/Contents/Developer", "/private/etc/ssl", "/private/var/db/timezone"],
  ...["/private/var/db/dyld", "/private/var/select"],
]

/** The profile: it allows only what it lists. A later line overrides an earlier one. */
export function seatbeltProfile({ root, readable }: SandboxView, folders: readonly string[]): string {
  const below = (path: string) => `(subpath ${quoted(path)})`
  const shown = [...system, ...folders, ...readable.map(({ from }) => from)].map(below)
  const closed = readable.filter(({ to }) => to.startsWith(`${root}/`)).map(({ to }) => below(to))
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow file-read-metadata)",
    '(allow file-read* (literal "/"))',
    `(allow file-read* ${shown.join(" ")})`,
    '(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    '(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))',
    `(allow file-read* file-write* ${below(root)})`,
    `(deny file-write* (literal ${quoted(`${root}/.git`)})${closed.map((one) => ` ${one}`).join("")})`,
    "(deny file-write-setugid)",
    "(deny network*)",
  ].join("\n")
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
}
