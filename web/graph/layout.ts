import type { Answer } from "../../src/api/contract/answers.ts"

/** Where each node stands: x and y, one after the other. */
export type Positions = Float32Array

/** The angle between neighbours in a sunflower, which leaves no gaps. */
const golden = Math.PI * (3 - Math.sqrt(5))
const spacing = 10

/** Positions by clusters: each is an island like a sunflower's head, the largest in the middle. Takes milliseconds. */
export function islands({ nodes, clusters }: Pick<Answer<"graph">, "nodes" | "clusters">): Positions {
  const groups = new Map<string, number[]>()
  nodes.forEach(({ cluster, project }, index) => {
    const key = cluster >= 0 && cluster < clusters.length ? `cluster ${cluster}` : `project ${project}`
    const group = groups.get(key)
    if (group) group.push(index)
    else groups.set(key, [index])
  })
  const positions = new Float32Array(nodes.length * 2)
  const placed: { x: number; y: number; radius: number }[] = []
  for (const group of [...groups.values()].sort((a, b) => b.length - a.length)) {
    const radius = spacing * Math.sqrt(group.length) + 2.2 * spacing
    const centre = freePlace(placed, radius)
    placed.push({ ...centre, radius })
    group.forEach((node, index) => {
      const distance = spacing * Math.sqrt(index + 0.5)
      positions[2 * node] = centre.x + distance * Math.cos(index * golden)
      positions[2 * node + 1] = centre.y + distance * Math.sin(index * golden)
    })
  }
  return positions
}

/** The nearest place to the middle where a circle touches no other; looked for along a spiral. */
function freePlace(
  placed: readonly { x: number; y: number; radius: number }[],
  radius: number,
): { x: number; y: number } {
  // Where there are very many, the spiral itself keeps them apart.
  const step = Math.max(spacing, radius / 2)
  for (let turn = 0; turn < 4000; turn += 1) {
    const distance = step * Math.sqrt(turn) * 1.1
    const x = distance * Math.cos(turn * golden)
    const y = distance * Math.sin(turn * golden)
    if (placed.every((other) => Math.hypot(other.x - x, other.y - y) >= other.radius + radius))
      return { x, y }
  }
  const far = placed.reduce((most, { x, y, radius: r }) => Math.max(most, Math.hypot(x, y) + r), 0) + radius
  return { x: far * Math.cos(placed.length * golden), y: far * Math.sin(placed.length * golden) }
}
