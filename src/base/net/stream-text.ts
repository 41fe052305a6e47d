/** A response body that is written in pieces. A failure aborts the stream, so that readers get an error. */
export function streamText(
  produce: (write: (text: string) => Promise<void>) => Promise<void>,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const encoder = new TextEncoder()
  produce((text) => writer.write(encoder.encode(text)))
    .then(() => writer.close())
    // If the reader is gone, closing fails too, and nobody needs the error.
    .catch((error) => writer.abort(error).catch(() => undefined))
  return readable
}
