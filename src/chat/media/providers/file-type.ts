/** What a file is by its first bytes, whatever its server says: of the few kinds that are posted. */
export interface FileType {
  type: string
  extension: string
}

const ascii = (bytes: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...bytes.subarray(from, to))

const signs: readonly { family: "image" | "video"; found: FileType; is(bytes: Uint8Array): boolean }[] = [
  {
    family: "image",
    found: { type: "image/png", extension: "png" },
    is: (bytes) => ascii(bytes, 0, 8) === "\x89PNG\r\n\x1a\n",
  },
  {
    family: "image",
    found: { type: "image/jpeg", extension: "jpg" },
    is: (bytes) => ascii(bytes, 0, 3) === "\xff\xd8\xff",
  },
  {
    family: "image",
    found: { type: "image/gif", extension: "gif" },
    is: (bytes) => /^GIF8[79]a$/.test(ascii(bytes, 0, 6)),
  },
  {
    family: "image",
    found: { type: "image/webp", extension: "webp" },
    is: (bytes) => ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP",
  },
  {
    family: "video",
    found: { type: "video/mp4", extension: "mp4" },
    is: (bytes) => ascii(bytes, 4, 8) === "ftyp",
  },
  {
    family: "video",
    found: { type: "video/webm", extension: "webm" },
    is: (bytes) => ascii(bytes, 0, 4) === "\x1aE\xdf\xa3",
  },
]

/** The kind of a picture or video; undefined for everything else. */
export function fileTypeOf(bytes: Uint8Array, family: "image" | "video"): FileType | undefined {
  return signs.find((one) => one.family === family && one.is(bytes))?.found
}
