import { homedir, tmpdir, userInfo } from "node:os"
import { delimiter, isAbsolute, join } from "node:path"

/** The environment variables that Reverie uses. Nothing else reads process.env. */
export interface Environment {
  /** REVERIE_HOME: one folder for config, data, state and socket. */
  home: string | undefined
  /** REVERIE_DATABASE_URL: overrides storage.url. */
  databaseUrl: string | undefined
  userHome: string
  temporary: string
  configHome: string | undefined
  dataHome: string | undefined
  stateHome: string | undefined
  cacheHome: string | undefined
  runtimeDir: string | undefined
  /** REVERIE_MODELS: the folder for embedding models, instead of the user's cache folder. */
  modelsDir: string | undefined
  /** HF_ENDPOINT: the address of Hugging Face or a mirror. */
  hubUrl: string | undefined
  /** npm_config_registry: the npm registry to use. */
  npmRegistry: string | undefined
  /** npm_config_userconfig: the user's npm configuration file. */
  npmSettings: string | undefined
  /** REVERIE_OPENAI_ISSUER: the issuer for the ChatGPT sign-in, for tests. */
  openaiIssuer: string | undefined
  /** Any other variable, such as one that a setting names. */
  variable(name: string): string | undefined
  /** The user's numeric id, or 0 where the system has none. */
  userId: number
  /** VISUAL or EDITOR. */
  editor: string | undefined
  /** The command that starts Reverie, for hints that can be copied. */
  command: string
}

/** Reads the environment once; empty variables count as unset. */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const get = (name: string) => (env[name] === "" ? undefined : env[name])
  return {
    home: get("REVERIE_HOME"),
    databaseUrl: get("REVERIE_DATABASE_URL"),
    userHome: get("HOME") ?? homedir(),
    temporary: tmpdir(),
    configHome: get("XDG_CONFIG_HOME"),
    dataHome: get("XDG_DATA_HOME"),
    stateHome: get("XDG_STATE_HOME"),
    cacheHome: get("XDG_CACHE_HOME"),
    runtimeDir: get("XDG_RUNTIME_DIR"),
    modelsDir: get("REVERIE_MODELS"),
    hubUrl: get("HF_ENDPOINT"),
    npmRegistry: get("npm_config_registry") ?? get("NPM_CONFIG_REGISTRY"),
    npmSettings: get("npm_config_userconfig") ?? get("NPM_CONFIG_USERCONFIG"),
    openaiIssuer: get("REVERIE_OPENAI_ISSUER"),
    variable: get,
    userId: Math.max(0, userInfo().uid),
    editor: get("VISUAL") ?? get("EDITOR"),
    command: get("REVERIE_COMMAND") ?? "reverie",
  }
}

/** The environment of the process that computes embeddings, with the telemetry of ONNX Runtime disabled. */
export function modelEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, ORT_DISABLE_TELEMETRY: "1", NODE_OPTIONS: "" }
}

/** Variables that would lead the demo to the user's own files or agents. */
const ownFolders =
  /^(?:REVERIE_(?!MODELS|COMMAND)|XDG_(?:DATA|CONFIG|STATE)_HOME|CLAUDE|CODEX|GEMINI_|PI_|JCODE_|OPENAI_|ANTHROPIC_)/

/** The environment of the demo, without anything that leads to the user's own memory, tools or models. */
export function demoEnvironment(
  { home, tools }: { home: string; tools: string },
  { columns, isPainted }: { columns: number; isPainted: boolean },
): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !ownFolders.test(name))
  const models =
    process.env.REVERIE_MODELS ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "reverie/models")
  return {
    ...Object.fromEntries(kept),
    HOME: join(tools, "user"),
    REVERIE_HOME: home,
    REVERIE_MODELS: models,
    CLAUDE_CONFIG_DIR: join(tools, "claude"),
    CODEX_HOME: join(tools, "codex"),
    COLUMNS: String(columns),
    ...(isPainted ? { FORCE_COLOR: "1" } : {}),
  }
}

/** The environment for git: no GIT_ variables, which could select another repository, and only absolute paths in PATH. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))
  const path = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute).join(delimiter)
  return { ...Object.fromEntries(kept), PATH: path }
}

/** The parts of the environment that commands in the sandbox get. */
export function sandboxEnvironment(): { path: string[]; language: string; home: string } {
  const path = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute)
  return { path, language: process.env.LANG ?? "C.UTF-8", home: process.env.HOME ?? homedir() }
}
