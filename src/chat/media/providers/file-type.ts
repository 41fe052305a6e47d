/** The type of a file by its first bytes, whatever its server says. */
export interface FileType {
  type: `${"image" | "video"}/${string}`
  extension: string
}

/** The first bytes of each kind, in hexadecimal. */
const signs: readonly (FileType & { sign: RegExp })[] = [
  { type: "image/png", extension: "png", sign: /^89504e470d0a1a0a/ },
  { type: "image/jpeg", extension: "jpg", sign: /^ffd8ff/ },
  { type: "image/gif", extension: "gif", sign: /^474946383[79]61/ },
  { type: "image/webp", extension: "webp", sign: /^52494646.{8}57454250/ },
  { type: "video/mp4", extension: "mp4", sign: /^.{8}66747970/ },
  { type: "video/webm", extension: "webm", sign: /^1a45dfa3/ },
]

/** The type of a picture or video; undefined for everything else. */
export function fileTypeOf(bytes: Uint8Array, family: "image" | "video"): FileType | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 12)).toString("hex")
  return signs.find(({ type, sign }) => type.startsWith(family) && sign.test(beginning))
}
