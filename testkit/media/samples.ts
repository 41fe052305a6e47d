/** The beginnings of files, enough to be known by. */
export const samples = {
  png: Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
  gif: Buffer.from("GIF89a\u0001\u0000\u0001\u0000"),
  mp4: Buffer.from("\u0000\u0000\u0000\u0018ftypisom", "latin1"),
}
