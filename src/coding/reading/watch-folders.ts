import { type FSWatcher, watch } from "node:fs"

/** Systems limit how many folders a program may watch. */
const mostFolders = 32

/** Reports changes in folders as far as the system can; callers must not rely on it. */
export function watchFolders(onChange: () => void) {
  const watched = new Map<string, FSWatcher>()
  const drop = (folder: string) => {
    watched.get(folder)?.close()
    watched.delete(folder)
  }
  const add = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, onChange)
      watcher.on("error", () => drop(folder))
      watched.set(folder, watcher)
    } catch {
      // The regular scan finds the change too.
    }
  }
  return {
    /** Watches exactly these folders from now on. */
    only(folders: readonly string[]): void {
      const wanted = new Set(folders.slice(0, mostFolders))
      for (const folder of watched.keys()) if (!wanted.has(folder)) drop(folder)
      for (const folder of wanted) if (!watched.has(folder)) add(folder)
    },
    close(): void {
      for (const folder of watched.keys()) drop(folder)
    },
  }
}
