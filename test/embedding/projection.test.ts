import { expect, test } from "vitest"
import { localModel } from "../../src/embedding/models.ts"
import { loadProjection } from "../../src/embedding/runtime/projections.ts"
import { cosine } from "../../testkit/embedding.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

test.each(["all-MiniLM-L6-v2", "gte-small"])(
  "%s has a projection of the length it promises",
  async (name) => {
    const { dimensions } = await loadProjection(name)
    expect(dimensions).toBe(localModel(name, "auto").tokenDimensions)
  },
)

test("a projection keeps what lies in its directions, whatever its length, and rounds it to whole numbers", async () => {
  const { project, dimensions } = await loadProjection("all-MiniLM-L6-v2")
  const { next } = createSeededRandom(3)
  const vector = Float32Array.from({ length: 384 }, () => next() - 0.5)
  const [codes, longer] = [new Int8Array(dimensions), new Int8Array(dimensions + 2)]
  project(vector, codes, 0)
  project(
    vector.map((value) => value * 10),
    longer,
    2,
  )
  expect(cosine(codes, longer.subarray(2))).toBeGreaterThan(0.9999)
  expect([...longer.subarray(0, 2)]).toEqual([0, 0])
  expect(Math.hypot(...codes) / 127).toBeCloseTo(1, 1)
})

test("there is none for a model that is not known", async () => {
  await expect(loadProjection("other")).rejects.toThrow("there is no projection for other")
})
