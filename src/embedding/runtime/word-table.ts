/** The vectors of all word pieces, as a model that reads texts begins with them. */
export interface WordTable {
  /** Length of a vector. */
  width: number
  /** The vectors of these pieces, one after the other. */
  rows(ids: readonly number[]): Float32Array
}

const tableName = "embeddings.word_embeddings.weight"
const width = 384

/**
 * Finds the word table in an ONNX file of the MiniLM family, so that what is built on the same table need not carry it
 * again. Only the few fields of the file's format (protobuf) that lead there are read.
 */
export function readWordTable(file: Uint8Array): WordTable {
  const found = new Map<string, Uint8Array>()
  for (const graph of fieldsOf(file, 7)) {
    for (const tensor of fieldsOf(graph, 5)) {
      const name = text(fieldsOf(tensor, 8).next().value)
      if (name.startsWith(tableName)) found.set(name, tensor)
    }
  }
  const full = found.get(tableName)
  if (full) return floatTable(rawOf(full))
  const [codes, scale, zero] = ["_quantized", "_scale", "_zero_point"].map((end) =>
    found.get(tableName + end),
  )
  if (!codes || !scale || !zero) throw new Error("the model has no word table that is known")
  return codedTable(rawOf(codes), floatOf(scale), byteOf(zero))
}

function codedTable(codes: Uint8Array, scale: number, zero: number): WordTable {
  return tableOf((index) => ((codes[index] ?? zero) - zero) * scale)
}

function floatTable(raw: Uint8Array): WordTable {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
  return tableOf((index) => view.getFloat32(index * 4, true))
}

function tableOf(numberAt: (index: number) => number): WordTable {
  return {
    width,
    rows(ids) {
      const rows = new Float32Array(ids.length * width)
      for (const [at, id] of ids.entries()) {
        for (let column = 0; column < width; column += 1) {
          rows[at * width + column] = numberAt(id * width + column)
        }
      }
      return rows
    },
  }
}

/** A tensor's numbers as bytes, or as the format's list of whole numbers or floats where it has one value. */
function rawOf(tensor: Uint8Array): Uint8Array {
  const raw = fieldsOf(tensor, 9).next().value
  if (raw === undefined) throw new Error("a tensor of the model has no raw data")
  return raw
}

function floatOf(tensor: Uint8Array): number {
  const raw = fieldsOf(tensor, 9).next().value ?? fieldsOf(tensor, 4).next().value
  if (raw === undefined) throw new Error("the word table has no scale")
  return new DataView(raw.buffer, raw.byteOffset, raw.byteLength).getFloat32(0, true)
}

function byteOf(tensor: Uint8Array): number {
  const raw = fieldsOf(tensor, 9).next().value
  if (raw !== undefined) return raw[0] ?? 0
  const list = fieldsOf(tensor, 5).next().value
  return list === undefined ? 0 : varint(list, 0).value
}

const decoder = new TextDecoder()
const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? "" : decoder.decode(bytes))

/** The parts of a message that stand under one number and have a length of their own. */
function* fieldsOf(message: Uint8Array, number: number): Generator<Uint8Array, undefined> {
  let at = 0
  while (at < message.length) {
    const key = varint(message, at)
    at = key.end
    switch (key.value & 7) {
      case 0:
        at = varint(message, at).end
        break
      case 1:
        at += 8
        break
      case 5:
        at += 4
        break
      case 2: {
        const length = varint(message, at)
        at = length.end + length.value
        if (at > message.length) throw new Error("the model's file ends too early")
        if (key.value >>> 3 === number) yield message.subarray(length.end, at)
        break
      }
      default:
        throw new Error("the model's file is not as expected")
    }
  }
  return undefined
}

function varint(bytes: Uint8Array, from: number): { value: number; end: number } {
  let value = 0
  for (let at = from; at < from + 10; at += 1) {
    const byte = bytes[at]
    if (byte === undefined) break
    value += (byte & 127) * 2 ** (7 * (at - from))
    if (byte < 128) return { value, end: at + 1 }
  }
  throw new Error("the model's file ends too early")
}
