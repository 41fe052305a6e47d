import { type FSWatcher, watch } from "node:fs"

/** Tells that something changed in one of some folders, where the system can; nobody may rely on it. */
export interface FolderWatch {
  /** Watches these folders from now on and no others. */
  only(folders: readonly string[]): void
  close(): void
}

/** Systems allow so many and no more. */
const mostFolders = 32

/** Watches folders that are named later. */
export function watchFolders(onChange: () => void): FolderWatch {
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
      // Looking every few seconds finds it too.
    }
  }
  return {
    only(folders) {
      const wanted = new Set(folders.slice(0, mostFolders))
      for (const folder of watched.keys()) if (!wanted.has(folder)) drop(folder)
      for (const folder of wanted) if (!watched.has(folder)) add(folder)
    },
    close() {
      for (const folder of watched.keys()) drop(folder)
    },
  }
}
