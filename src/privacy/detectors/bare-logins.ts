import type { Finding } from "../finding.ts"
import { isGeneratedPassword } from "../values/generated-value.ts"
import { isPlaceholder } from "../values/placeholders.ts"

/** `user:password@host` without a scheme; the password may be quoted. */
const atHost =
  /(?<![\w:/@.-])(?:[\w.-]{1,60}[\\/]{1,2})?[\w.$-]{1,60}:(?<quote>["']?)(?<value>[^\s"'`<>@\uFFFC]{6,100})\k<quote>@(?!sha\d)[\w[][\w.:-]{1,100}/dg
/** A common account name followed by its password: "synology: admin, …". */
const byName =
  /(?<![\w./@-])(?:admin|administrator|root|ubnt|pi|postgres|sa|ubuntu|debian|operator|guest|sysadmin|superuser|owner|user|deploy|service|backup|svc[\w-]{0,20}|[\w.+-]{1,40}@[\w-]{1,40}(?:\.[\w-]{1,20}){1,3})(?<quote>["'`]?)[ \t]{0,2}(?:[,/|;:]|[-–—]|→|->|and|mit|with|und|\+)[ \t]{0,3}["'`]?(?<value>[^\s"'`<>\uFFFC]{8,100})/dgi

/** Finds passwords that follow an account name without a label. */
export function findBareLogins(text: string): Finding[] {
  return text.includes("@") ? [...take(text, atHost), ...take(text, byName)] : take(text, byName)
}

function take(text: string, pattern: RegExp): Finding[] {
  const found: Finding[] = []
  for (const { indices } of text.matchAll(pattern)) {
    const [start, close] = indices?.groups?.value ?? []
    if (start === undefined || close === undefined) continue
    const value = text.slice(start, close).replace(/[.,;:)\]}]+$/, "")
    if (!isPlaceholder(value) && isGeneratedPassword(value))
      found.push({ kind: "password", start, end: start + value.length })
  }
  return found
}
