import Graph from "graphology"
import forceAtlas from "graphology-layout-forceatlas2"
import type { Positions } from "./layout.ts"

/** The input of the worker: positions, edges, clusters and the number of rounds. */
export interface LayoutTask {
  positions: Positions
  edges: [number, number, number][]
  /** The cluster of each node, or -1. */
  clusters: Int32Array
  rounds: number
}

/** Rounds between two progress messages. */
const atOnce = 20

self.onmessage = ({ data }: MessageEvent<LayoutTask>) => {
  const graph = graphOf(data)
  const settings = {
    ...forceAtlas.inferSettings(graph),
    linLogMode: true,
    barnesHutOptimize: true,
    gravity: 0.4,
    scalingRatio: 6,
    slowDown: 8,
  }
  for (let done = 0; done < data.rounds; done += atOnce) {
    forceAtlas.assign(graph, { iterations: atOnce, settings })
    const positions = positionsIn(graph, data.positions.length / 2)
    self.postMessage({ positions, isDone: done + atOnce >= data.rounds }, { transfer: [positions.buffer] })
  }
}

function graphOf({ positions, edges, clusters }: LayoutTask): Graph {
  const graph = new Graph({ multi: true })
  for (let node = 0; node < positions.length / 2; node += 1)
    graph.addNode(String(node), { x: positions[2 * node], y: positions[2 * node + 1], size: 4 })
  for (const [source, target, weight] of edges) graph.addEdge(String(source), String(target), { weight })
  // A hidden hub node keeps the members of a cluster together.
  const hubs = new Map<number, { count: number; x: number; y: number }>()
  clusters.forEach((cluster, node) => {
    if (cluster < 0) return
    const hub = hubs.get(cluster) ?? { count: 0, x: 0, y: 0 }
    hubs.set(cluster, {
      count: hub.count + 1,
      x: hub.x + (positions[2 * node] ?? 0),
      y: hub.y + (positions[2 * node + 1] ?? 0),
    })
  })
  for (const [cluster, { count, x, y }] of hubs)
    graph.addNode(`hub ${cluster}`, { x: x / count, y: y / count, size: 1 })
  clusters.forEach((cluster, node) => {
    if (cluster >= 0) graph.addEdge(String(node), `hub ${cluster}`, { weight: 1.6 })
  })
  return graph
}

function positionsIn(graph: Graph, count: number): Positions {
  const positions = new Float32Array(count * 2)
  for (let node = 0; node < count; node += 1) {
    positions[2 * node] = graph.getNodeAttribute(String(node), "x")
    positions[2 * node + 1] = graph.getNodeAttribute(String(node), "y")
  }
  return positions
}
