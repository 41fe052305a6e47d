/** Why the value of a variable cannot be a key, in a sentence that does not quote it; undefined if it can. */
export function problemWithKeyValue(
  variable: string | undefined,
  value: string | undefined,
): string | undefined {
  // What is not visible ASCII fits into no header, and the failure of one would quote it.
  if (variable === undefined || value === undefined || /^[!-~]+$/.test(value)) return undefined
  return `${variable} holds no key: it has spaces, line breaks or other signs in it that no key has; set it again.`
}
