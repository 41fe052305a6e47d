/** Why a variable's value cannot be an API key, without quoting it; undefined if it can. */
export function problemWithApiKey(
  variable: string | undefined,
  value: string | undefined,
): string | undefined {
  // Only visible ASCII fits into a header, and the error for anything else would quote the value.
  if (variable === undefined || value === undefined || /^[!-~]+$/.test(value)) return undefined
  return `${variable} is not a valid key: it contains spaces, line breaks or other invalid characters; set it again.`
}
