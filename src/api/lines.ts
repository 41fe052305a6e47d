/** The lines of a stream of bytes, without their ends; nothing for no stream. */
export async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return
  const decoder = new TextDecoder()
  let held = ""
  for await (const chunk of body) {
    const parts = (held + decoder.decode(chunk, { stream: true })).split("\n")
    held = parts.pop() ?? ""
    for (const part of parts) yield part.endsWith("\r") ? part.slice(0, -1) : part
  }
  held += decoder.decode()
  if (held !== "") yield held
}
