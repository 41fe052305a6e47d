import { gzipSync } from "node:zlib"

/** A package's archive, as npm makes them. */
export function packTar(files: Record<string, Uint8Array>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([path, content]) => {
    const header = Buffer.alloc(512)
    header.write(path, 0, 100)
    header.write("0000644\0", 100)
    header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124)
    header.write("0", 156)
    header.write("ustar\0", 257)
    return [header, content, Buffer.alloc(-content.length & 511)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}
