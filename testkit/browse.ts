/** What a browser shows in the end, and where. */
interface Shown {
  status: number
  text: string
}

/** Does what a user's browser does with an address: follows it to the end. */
export async function browse(url: string): Promise<Shown> {
  const response = await fetch(url)
  return { status: response.status, text: await response.text() }
}

/** The address a browser is sent on to, for users who have it somewhere else and paste it. */
export async function destinationOf(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "manual" })
  return response.headers.get("location") ?? ""
}
