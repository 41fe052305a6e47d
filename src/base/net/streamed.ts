/**
 * A body that is written piece by piece. A failure in the middle breaks the stream off, so that the reader gets
 * an error and never takes a part for the whole.
 */
export function streamed(
  produce: (write: (text: string) => Promise<void>) => Promise<void>,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const encoder = new TextEncoder()
  produce((text) => writer.write(encoder.encode(text)))
    .then(() => writer.close())
    // A reader that has gone makes closing fail too; there is nobody left to tell.
    .catch((error) => writer.abort(error).catch(() => undefined))
  return readable
}
