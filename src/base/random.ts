/** The source of randomness. Tests pass a seeded one. */
export interface Random {
  /** A number from 0 up to, not including, 1. */
  next(): number
  bytes(count: number): Uint8Array
}

/** Cryptographic randomness, in Node and in browsers. */
export const systemRandom: Random = {
  next: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
}

/** Lower-case base 32 without letters that look like digits. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** A new id such as m_4k9x2v7q8w1t6z3c: a prefix for the type, then 80 random bits. */
export function newId(random: Random, prefix: string): string {
  return `${prefix}_${encodeBase32(random.bytes(10))}`
}

/**
 * A new id that sorts by time: nine characters of time in steps of 8 ms, then 55 random bits. New rows are adjacent in
 * every index, which keeps inserts into a large database fast.
 */
export function newTimedId(random: Random, at: number, prefix: string): string {
  const time = Buffer.alloc(6)
  time.writeUIntBE(Math.max(0, at), 0, 6)
  return `${prefix}_${encodeBase32(time).slice(0, 9)}${encodeBase32(random.bytes(7)).slice(0, 11)}`
}

/** Encodes bytes as lower-case base 32; ten bytes become sixteen characters. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = ""
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text
}
