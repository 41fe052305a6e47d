import { type Finding, findValues } from "../../finding.ts"
import { isPlaceholder } from "../../values/placeholders.ts"

/** A command that takes a password as an argument or from a pipe. */
interface PasswordCommand {
  /** Matches the lower-case text whenever the command is in it. */
  hint: RegExp
  pattern: RegExp
  /** The command is unambiguous, so a plain word is a password too. */
  isSure?: boolean
}

/** One argument without its quotes. */
const value = String.raw`["']?(?<value>[^\s"'\uFFFC|]{3,200})`

const commands: readonly PasswordCommand[] = [
  {
    hint: /sudo|passwd|login|cryptsetup|su\b/,
    pattern: new RegExp(
      String.raw`\b(?:echo|printf)(?:[ \t]-[neE]{1,3})?[ \t]{1,3}(?:["']%s(?:\\n)?["'][ \t])?${value}["']?[ \t]{0,3}\|[ \t]{0,3}(?:[\w./-]{1,40}[ \t]){0,3}?(?:sudo\b[^\n|\uFFFC]{0,40}?[ \t](?:-\w*S\b|--stdin\b)|su\b|cryptsetup\b|(?:[\w.-]{1,30}[ \t]{1,3}){0,3}[^\n|\uFFFC]{0,80}--(?:password|pass)?-?stdin\b)`,
      "dg",
    ),
    isSure: true,
  },
  {
    hint: /secret|vault|passphrase|token|passw|kubeseal|base64|pass insert/,
    pattern: new RegExp(
      String.raw`\b(?:echo|printf)(?:[ \t]-[neE]{1,3})?[ \t]{1,3}(?:["']%s(?:\\n)?["'][ \t])?${value}["']?[ \t]{0,3}\|[ \t]{0,3}(?:[\w./-]{1,40}[ \t]){0,3}?(?:gh secret|docker secret|secret-tool|kubeseal|smbpasswd|passwd|mkpasswd|wrangler secret|fly secrets|ansible-vault|vault|pass insert|base64(?![ \t]{1,3}-{1,2}[dD])|[^\n|\uFFFC]{0,80}(?:--passphrase-fd|--with-token|--[\w-]{0,20}stdin))\b`,
      "dg",
    ),
  },
  {
    hint: /chpasswd/,
    pattern:
      /\b(?:echo|printf)(?:[ \t]-[neE]{1,3})?[ \t]{1,3}["']?[^\s:"'|\uFFFC]{1,60}:(?<value>[^\s"'|\uFFFC]{3,200})["']?[ \t]{0,3}\|[^\n|\uFFFC]{0,40}\bchpasswd\b/dg,
    isSure: true,
  },
  {
    hint: /sudo/,
    pattern: new RegExp(
      String.raw`\bsudo\b[^\n\uFFFC]{0,120}[ \t]-\w*S\b[^\n\uFFFC]{0,120}<<<[ \t]{0,3}${value}`,
      "dg",
    ),
    isSure: true,
  },
  {
    hint: /htpasswd/,
    pattern: new RegExp(
      String.raw`\bhtpasswd(?=[^\n]{0,60}[ \t]-\w*n)(?=[^\n]{0,60}[ \t]-\w*b)(?:[ \t]+-\w+){1,6}[ \t]+[^\s-]\S{0,60}[ \t]+${value}`,
      "dg",
    ),
    isSure: true,
  },
  {
    hint: /htpasswd/,
    pattern: new RegExp(
      String.raw`\bhtpasswd(?![^\n]{0,60}[ \t]-\w*n)(?=[^\n]{0,60}[ \t]-\w*b)(?:[ \t]+-\w+){1,6}[ \t]+[^\s-]\S{0,200}[ \t]+[^\s-]\S{0,60}[ \t]+${value}`,
      "dg",
    ),
    isSure: true,
  },
  {
    hint: /net use/,
    pattern:
      /\bnet use\b[^\n\uFFFC]{0,160}?[ \t]\/user:[^\s]{1,80}[ \t]+(?<value>[^\s*/"'\uFFFC][^\s"'\uFFFC]{2,200})/dgi,
  },
  {
    hint: /net use/,
    pattern:
      /\bnet use\b[^\n\uFFFC]{0,60}?\\\\[^\s]{1,160}[ \t]+(?<value>[^\s*/"'\uFFFC][^\s"'\uFFFC]{2,200})[ \t]+\/user:/dgi,
  },
  {
    hint: /net user/,
    pattern: /\bnet user[ \t]+[^\s/]{1,60}[ \t]+(?<value>[^\s*/"'\uFFFC][^\s"'\uFFFC]{2,200})/dgi,
  },
]

/** Finds passwords that are piped into a command, or that are arguments without an option. */
export function findPipedPasswords(text: string, lower: string): Finding[] {
  return commands.flatMap(({ hint, pattern, isSure = false }) =>
    hint.test(lower) ? findValues(text, pattern, "password", (one) => isPasswordText(one, isSure)) : [],
  )
}

function isPasswordText(value: string, isSure: boolean): boolean {
  if (isPlaceholder(value) || /^\$|^-/.test(value)) return false
  return isSure || /[\d!@#$%^&*]|[a-z][A-Z]/.test(value)
}
