/** How long the daemon may take to answer: an agent waits for its hooks. */
export const hookSeconds = 0.3

/** The name of the program that hooks run; by it our entries are known again. */
export const hookProgram = "reverie-hook"

/** What a tool has to run for an event: the program, unless it is gone together with Reverie. */
export function hookCommand(program: string, tool: string, event: string): string {
  const quoted = shellQuoted(program)
  return `[ ! -x ${quoted} ] || ${quoted} ${tool} ${event}`
}

/** The program that a command of ours runs; undefined where the command is not ours. */
export function programIn(command: string): string | undefined {
  const quoted = /^\[ ! -x ('(?:[^']|'\\'')+') \] \|\| /.exec(command)?.[1]
  const program = quoted === undefined ? undefined : quoted.slice(1, -1).replaceAll("'\\''", "'")
  return program?.endsWith(`/${hookProgram}`) ? program : undefined
}

/** A text as one word of a POSIX shell. */
/** A word that a shell takes as it is. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

interface ProgramNeeds {
  socket: string
  /** How to run the program of ours that does the same without curl. */
  node: readonly string[]
}

/**
 * The program itself: hands what it is given to the daemon and prints what comes back. It starts nothing that stays,
 * says nothing when the daemon is away, reads all it is given so that no tool writes into a closed pipe, and succeeds.
 */
export function hookProgramText({ socket, node }: ProgramNeeds): string {
  const curl = [
    'curl -q -sf --noproxy \'*\' --max-time "$seconds" --unix-socket "$socket"',
    "-H 'Content-Type: application/json' -H 'Expect:' --data-binary @-",
    '"http://localhost/v1/hooks/$1/$2"',
  ].join(" \\\n    ")
  return `#!/bin/sh
# ${hookProgram} TOOL EVENT: hands what a coding agent tells its hook to Reverie's daemon, and prints what comes back.
# Written by \`reverie connect\`; \`reverie connect TOOL --uninstall\` takes it away again.
socket=${shellQuoted(socket)}
folder=\${socket%/*}
seconds=\${REVERIE_HOOK_SECONDS:-${hookSeconds}}

# Whether nobody else can have put the socket there: it is ours, in a folder that others cannot change.
is_ours() {
  [ -S "$socket" ] && [ -O "$socket" ] || return 1
  set -f
  set -- $(ls -ldn "$folder")
  case \${1:-} in ????????w*) return 1 ;; esac
  [ -O "$folder" ] || [ "\${3:-}" = 0 ] || is_private_for_root
}

# Root may use the folders of others, but none in a folder that all users share.
is_private_for_root() {
  [ "$(id -u)" = 0 ] || return 1
  case $(ls -ld "$folder/..") in ????????w*) return 1 ;; esac
}

if ! is_ours 2>/dev/null; then
  cat >/dev/null
elif command -v curl >/dev/null; then
  answer=$(${curl}) &&
    [ -n "$answer" ] && printf '%s\\n' "$answer"
else
  ${[...node, "$socket", "$1", "$2", "$seconds"].map(shellWord).join(" ")}
fi 2>/dev/null
exit 0
`
}

function shellWord(word: string): string {
  return word.startsWith("$") ? `"${word}"` : shellQuoted(word)
}
