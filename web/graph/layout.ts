import type { Answer } from "../../src/api/contract/answers.ts"

/** The positions of nodes: x and y of each in turn. */
export type Positions = Float32Array

/** The golden angle, which fills a disc evenly. */
const golden = Math.PI * (3 - Math.sqrt(5))
const spacing = 10

/** Places each cluster as a disc, the largest in the middle. Takes milliseconds. */
export function islands({ nodes, clusters }: Pick<Answer<"graph">, "nodes" | "clusters">): Positions {
  const groups = Map.groupBy(nodes.keys(), (index) => {
    const { cluster = -1, project = -1 } = nodes[index] ?? {}
    return cluster >= 0 && cluster < clusters.length ? `cluster ${cluster}` : `project ${project}`
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

/** The free place nearest to the middle for a disc, searched along a spiral. */
function freePlace(
  placed: readonly { x: number; y: number; radius: number }[],
  radius: number,
): { x: number; y: number } {
  // With very many discs, the spiral itself keeps them apart.
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
