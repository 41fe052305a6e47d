import pg from "pg"

/** A connection to the schema a URL names with `?schema=`. */
export async function connectTo(url: string): Promise<pg.Client> {
  const place = new URL(url)
  const schema = place.searchParams.get("schema") ?? "public"
  place.searchParams.delete("schema")
  const client = new pg.Client({
    connectionString: place.href,
    options: `-c search_path=${schema},public`,
  })
  // The server may be stopped under us when the run is interrupted.
  client.on("error", () => undefined)
  await client.connect()
  return client
}
