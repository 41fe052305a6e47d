#!/bin/sh
# reverie-hook TOOL EVENT: sends a coding agent's hook input to Reverie's daemon and prints the answer.
# It prints nothing if the daemon does not run, always reads its whole input, and always succeeds.
# Written by `reverie connect`; `reverie connect TOOL --uninstall` removes it.
socket=@SOCKET@
folder=${socket%/*}
seconds=${REVERIE_HOOK_SECONDS:-0.3}

# True if no other user can have created the socket: it belongs to this user, in a folder that others cannot write.
is_ours() {
  [ -S "$socket" ] && [ -O "$socket" ] || return 1
  set -f
  set -- $(ls -ldn "$folder")
  case ${1:-} in ????????w*) return 1 ;; esac
  [ -O "$folder" ] || [ "${3:-}" = 0 ] || is_private_for_root
}

# Root may use other users' folders, except below a folder that everyone can write.
is_private_for_root() {
  [ "$(id -u)" = 0 ] || return 1
  case $(ls -ld "$folder/..") in ????????w*) return 1 ;; esac
}

if ! is_ours 2>/dev/null; then
  cat >/dev/null
elif command -v curl >/dev/null; then
  answer=$(curl -q -sf --noproxy '*' --max-time "$seconds" --unix-socket "$socket" \
    -H 'Content-Type: application/json' -H 'Expect:' --data-binary @- \
    "http://localhost/v1/hooks/$1/$2") &&
    [ -n "$answer" ] && printf '%s\n' "$answer"
else
  @NODE@ "$socket" "$1" "$2" "$seconds"
fi 2>/dev/null
exit 0
