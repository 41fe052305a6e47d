import { expect, test } from "vitest"
import { windowsOf } from "../../src/embedding/runtime/windows.ts"

test.each([0, 1, 253, 254, 255, 476, 477, 1000, 5000])(
  "windows speak once for each of %i pieces",
  (pieces) => {
    const windows = windowsOf(pieces, 254, 32)
    let next = 0
    for (const { start, end, ownStart, ownEnd } of windows) {
      expect(end - start).toBeLessThanOrEqual(254)
      expect(ownStart).toBe(next)
      expect(ownStart).toBeGreaterThanOrEqual(start)
      expect(ownEnd).toBeLessThanOrEqual(end)
      next = ownEnd
    }
    expect(next).toBe(pieces)
  },
)

test("a text that fits is one window, and neighbours overlap", () => {
  expect(windowsOf(254, 254, 32)).toHaveLength(1)
  const [first, second] = windowsOf(255, 254, 32)
  expect(second?.start).toBe((first?.end ?? 0) - 32)
})
