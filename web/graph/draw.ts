import Graph from "graphology"
import Sigma from "sigma"
import { EdgeLineProgram, EdgeRectangleProgram, NodeCircleProgram, NodePointProgram } from "sigma/rendering"
import type { Answer } from "../../src/api/contract/answers.ts"
import { type ColourBy, coloursFor, type Legend, styleColour } from "./colours.ts"
import { drawHover, drawLabel } from "./labels.ts"
import { islands, type Positions } from "./layout.ts"
import type { LayoutTask } from "./layout-worker.ts"
import { nameClusters } from "./names.ts"
import { panByShifting } from "./pan.ts"

/** A graph on the screen. */
export interface Drawing {
  /** The legend of the first colours. */
  legend: Legend[]
  /** Changes the colours and returns their legend. */
  colour(by: ColourBy): Legend[]
  /** Highlights these nodes and their neighbours; an empty list shows all nodes normally. */
  highlight(nodes: readonly number[]): void
  /** Moves the camera to a node. */
  focus(node: number): void
  zoom(how: "in" | "out" | "all"): void
  stop(): void
}

/** Larger graphs keep the island layout: a force layout would take minutes. */
const maxMoved = 6000
const rounds = 120
const manyNodes = 20_000

/** Draws a graph into an element. */
export function drawGraph(
  element: HTMLElement,
  answer: Answer<"graph">,
  by: ColourBy,
  onChoose: (node: number | undefined) => void,
): Drawing {
  const graph = new Graph({ multi: true })
  const positions = islands(answer)
  const isHuge = answer.nodes.length > manyNodes
  const isLarge = answer.nodes.length > 2000
  const size = sizeFor(answer.nodes.length)
  let colours = coloursFor(answer, by)
  answer.nodes.forEach(({ label, strength }, index) => {
    graph.addNode(String(index), {
      x: positions[2 * index],
      y: positions[2 * index + 1],
      size: size + Math.min(6, Math.log2(Math.max(1, strength)) * 1.5),
      label: label.length > 60 ? `${label.slice(0, 59)}…` : label,
      color: colours.of(index),
    })
  })
  const plainColour = styleColour("line-strong")
  const edgeColours: Record<string, string> = {
    contradicts: styleColour("bad"),
    supersedes: styleColour("warn"),
  }
  for (const { source, target, kind } of answer.edges)
    graph.addEdge(String(source), String(target), {
      size: 1.2,
      color: edgeColours[kind] ?? plainColour,
    })

  const lit: { nodes: Set<string> | undefined; near: Set<string> } = { nodes: undefined, near: new Set() }
  const dim = styleColour("line")
  const sigma = new Sigma(graph, element, {
    labelFont: "system-ui, sans-serif",
    labelSize: 12,
    labelColor: { color: styleColour("soft") },
    labelDensity: isHuge ? 0.1 : 0.35,
    labelRenderedSizeThreshold: isHuge ? 9 : 7,
    hideEdgesOnMove: isLarge,
    hideLabelsOnMove: isLarge,
    // Points and lines draw faster than circles and rectangles.
    nodeProgramClasses: { circle: isLarge ? NodePointProgram : NodeCircleProgram },
    edgeProgramClasses: { line: isLarge ? EdgeLineProgram : EdgeRectangleProgram },
    zIndex: true,
    minCameraRatio: 0.003,
    maxCameraRatio: 3,
    defaultDrawNodeLabel: drawLabel,
    defaultDrawNodeHover: drawHover,
    nodeReducer: (node, data) => {
      if (lit.nodes === undefined) return data
      if (lit.nodes.has(node))
        return { ...data, zIndex: 2, size: data.size * 1.7, forceLabel: lit.nodes.size < 12 }
      return lit.near.has(node) ? { ...data, zIndex: 1 } : { ...data, color: dim, label: "", zIndex: 0 }
    },
    edgeReducer: (edge, data) => {
      if (lit.nodes === undefined) return data
      const [source, target] = graph.extremities(edge)
      return lit.nodes.has(source) || lit.nodes.has(target) ? { ...data, size: 2 } : { ...data, hidden: true }
    },
  })
  sigma.on("clickNode", ({ node }) => onChoose(Number(node)))
  sigma.on("clickStage", () => onChoose(undefined))
  const names = nameClusters(element, sigma, answer, graph)
  sigma.on("afterRender", names.place)
  const stopPanning = panByShifting(element, sigma, isLarge)
  const settled = () => void element.setAttribute("data-settled", "")
  element.removeAttribute("data-settled")
  const isMoved = answer.nodes.length > 0 && answer.nodes.length <= maxMoved
  const worker = isMoved ? move(answer, positions, graph, settled) : undefined
  if (!isMoved) settled()

  return {
    legend: colours.legend,
    colour(next) {
      colours = coloursFor(answer, next)
      graph.updateEachNodeAttributes((node, data) => ({ ...data, color: colours.of(Number(node)) }), {
        attributes: ["color"],
      })
      sigma.setSetting("labelColor", { color: styleColour("soft") })
      return colours.legend
    },
    highlight(nodes) {
      if (nodes.length === 0 && lit.nodes === undefined) return
      lit.nodes = nodes.length === 0 ? undefined : new Set(nodes.map(String))
      lit.near = new Set(nodes.flatMap((node) => graph.neighbors(String(node))))
      sigma.refresh({ skipIndexation: true })
    },
    focus(node) {
      const at = sigma.getNodeDisplayData(String(node))
      if (at)
        void sigma.getCamera().animate({ x: at.x, y: at.y, ratio: isHuge ? 0.04 : 0.18 }, { duration: 350 })
    },
    zoom(how) {
      const camera = sigma.getCamera()
      if (how === "all") void camera.animatedReset()
      else void (how === "in" ? camera.animatedZoom(1.6) : camera.animatedUnzoom(1.6))
    },
    stop() {
      worker?.terminate()
      names.remove()
      stopPanning()
      sigma.kill()
    },
  }
}

function sizeFor(nodes: number): number {
  if (nodes > manyNodes) return 2
  if (nodes > 2000) return 3
  return nodes > 300 ? 5 : 8
}

/** Runs the force layout in a worker and applies its positions. */
function move(answer: Answer<"graph">, positions: Positions, graph: Graph, onDone: () => void): Worker {
  const worker = new Worker(new URL("./layout-worker.ts", import.meta.url), { type: "module" })
  worker.onmessage = ({ data }: MessageEvent<{ positions: Positions; isDone: boolean }>) => {
    graph.updateEachNodeAttributes(
      (node, old) => ({
        ...old,
        x: data.positions[2 * Number(node)],
        y: data.positions[2 * Number(node) + 1],
      }),
      { attributes: ["x", "y"] },
    )
    if (data.isDone) {
      worker.terminate()
      onDone()
    }
  }
  const task: LayoutTask = {
    positions,
    edges: answer.edges.map(({ source, target }) => [source, target, 2]),
    clusters: Int32Array.from(answer.nodes, ({ cluster }) => cluster),
    rounds: answer.nodes.length > 2500 ? rounds / 2 : rounds,
  }
  worker.postMessage(task)
  return worker
}
