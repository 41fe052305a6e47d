import type Graph from "graphology"
import type Sigma from "sigma"
import type { Answer } from "../../src/api/contract/answers.ts"

const maxNames = 14

/** Shows the names of the largest clusters above them. */
export function nameClusters(element: HTMLElement, sigma: Sigma, answer: Answer<"graph">, graph: Graph) {
  const members = Map.groupBy(answer.nodes.keys(), (index) => answer.nodes[index]?.cluster ?? -1)
  members.delete(-1)
  const layer = document.createElement("div")
  layer.className = "graph-names"
  layer.setAttribute("aria-hidden", "true")
  const largest = [...members].sort(([, a], [, b]) => b.length - a.length).slice(0, maxNames)
  const labels = largest.map(([cluster, nodes]) => {
    const label = document.createElement("span")
    label.className = "graph-name"
    label.textContent = answer.clusters[cluster]?.name ?? ""
    layer.append(label)
    // A sample of a large cluster is enough to find its middle.
    const sample = nodes.filter((_, index) => index % Math.ceil(nodes.length / 150) === 0)
    return { label, nodes: sample.map(String), half: 0 }
  })
  element.append(layer)
  // A name is not cut off at the edge while its cluster is in view.
  for (const one of labels) one.half = one.label.offsetWidth / 2 + 4
  const place = () => {
    const { width } = sigma.getDimensions()
    for (const { label, nodes, half } of labels) {
      let [x, y] = [0, 0]
      for (const node of nodes) {
        x += graph.getNodeAttribute(node, "x")
        y += graph.getNodeAttribute(node, "y")
      }
      const at = sigma.graphToViewport({ x: x / nodes.length, y: y / nodes.length })
      const isInView = at.x > 0 && at.x < width
      const within = isInView ? Math.max(half, Math.min(width - half, at.x)) : at.x
      label.style.transform = `translate(${Math.round(within)}px, ${Math.round(at.y - 12)}px) translateX(-50%)`
    }
  }
  return { place, remove: () => layer.remove() }
}
