import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { startHousekeeping } from "../../src/activities/housekeeping.ts"
import { listSnapshots } from "../../src/activities/snapshots.ts"
import { silentLog } from "../../src/base/log.ts"
import { configSchema } from "../../src/config/schema.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"
import { openMemoryWorld } from "../../testkit/worlds/memory-world.ts"

const tenMinutes = 600_000

describeDatabases("Automatic snapshots", (create) => {
  async function open(storage: { snapshot_every_hours?: number; snapshots_kept?: number }) {
    const world = await openMemoryWorld(await create())
    const directory = throwawayFolder()
    const config = configSchema.parse({ storage })
    const stop = startHousekeeping({ ...world, config, directory, log: silentLog })
    /** Lets that many hours pass, letting every look end before the next. */
    const go = async (hours: number) => {
      for (let looks = 0; looks < hours * 6; looks += 1) {
        while (world.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
        await world.clock.advance(tenMinutes)
      }
      while (world.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    const snapshots = () => listSnapshots(directory)
    return { world, go, snapshots, stop }
  }

  test("are taken when something changed and the last is old enough, and only then", async () => {
    const { world, go, snapshots, stop } = await open({ snapshot_every_hours: 24 })
    await go(48)
    expect(await snapshots()).toEqual([])
    await world.remember("first")
    await go(1)
    await go(48)
    expect(await snapshots()).toHaveLength(1)
    await world.remember("second")
    await go(1)
    expect(await snapshots()).toHaveLength(2)
    await stop()
    expect(world.clock.waiting).toBe(0)
  })

  test("are kept in the number that was asked for, newest first, and hold everything", async () => {
    const { world, go, snapshots, stop } = await open({
      snapshot_every_hours: 1,
      snapshots_kept: 2,
    })
    for (const text of ["one", "two", "three"]) {
      await world.remember(text)
      await go(2)
    }
    await stop()
    const kept = await snapshots()
    expect(kept).toHaveLength(2)
    const [newest] = kept
    if (newest?.name.endsWith(".json.gz")) {
      const { memories } = JSON.parse(gunzipSync(readFileSync(newest.file)).toString())
      expect(memories).toHaveLength(3)
    } else expect(newest?.name).toMatch(/\.db$/)
  })

  test("are off when they are switched off", async () => {
    const { world, go, snapshots, stop } = await open({ snapshot_every_hours: 0 })
    await world.remember("something")
    await go(100)
    await stop()
    expect(await snapshots()).toEqual([])
  })
})
