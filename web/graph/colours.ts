import type { Answer } from "../../src/api/contract/answers.ts"
import { typeNames } from "../parts/words.ts"

export type ColourBy = "type" | "project" | "cluster"

/** The meaning of a colour. */
export interface Legend {
  name: string
  colour: string
}

/** The value of a CSS colour variable, for WebGL. */
export function styleColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}

const hues = 12

/** The nth of many distinct colours; neighbours in the list differ clearly. */
function nthColour(index: number): string {
  const isLight = document.documentElement.dataset.theme === "light"
  const hue = ((index * 5) % hues) * (360 / hues) + Math.floor(index / hues) * 11
  return hslToHex(hue % 360, isLight ? 0.55 : 0.62, isLight ? 0.42 : 0.7)
}

/** WebGL does not accept hsl(). */
function hslToHex(hue: number, saturation: number, light: number): string {
  const part = (offset: number) => {
    const k = (offset + hue / 30) % 12
    const value = light - saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(255 * value)
      .toString(16)
      .padStart(2, "0")
  }
  return `#${part(0)}${part(8)}${part(4)}`
}

const maxNamed = 12

/** The colour of each node, and the legend. */
export function coloursFor(
  graph: Answer<"graph">,
  by: ColourBy,
): { of(index: number): string; legend: Legend[] } {
  const none = styleColour("faint")
  if (by === "type") {
    const colours = new Map(Object.keys(typeNames).map((type) => [type, styleColour(type)]))
    return {
      of: (index) => colours.get(graph.nodes[index]?.type ?? "") ?? none,
      legend: Object.entries(typeNames).map(([type, name]) => ({ name, colour: colours.get(type) ?? none })),
    }
  }
  const names = by === "project" ? graph.projects : graph.clusters
  const sizes = names.map((_, place) => graph.nodes.filter((node) => node[by] === place).length)
  const order = names.map((_, place) => place).sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0))
  const colours = new Map(order.map((place, rank) => [place, nthColour(rank)]))
  const rest = by === "project" ? "everywhere" : "in no cluster"
  return {
    of: (index) => colours.get(graph.nodes[index]?.[by] ?? -1) ?? none,
    legend: [
      ...order
        .slice(0, maxNamed)
        .map((place) => ({ name: names[place]?.name ?? "", colour: colours.get(place) ?? none })),
      ...(graph.nodes.some((node) => node[by] < 0) ? [{ name: rest, colour: none }] : []),
    ],
  }
}
