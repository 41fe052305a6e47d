import type { Figure } from "../shared/figures.ts"

/** Wilson's 95 % interval for a share of rows. */
export function interval(hits: number, of: number): [low: number, high: number] {
  if (of === 0) return [0, 1]
  const z = 1.96
  const p = hits / of
  const middle = p + (z * z) / (2 * of)
  const spread = z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))
  const whole = 1 + (z * z) / of
  return [Math.max(0, (middle - spread) / whole), Math.min(1, (middle + spread) / whole)]
}

/** A share of rows in percent, with the number of rows and the interval it is sure to. */
export function shareOf(
  id: string,
  hits: number,
  of: number,
  better: Figure["better"],
  baseline?: { name: string; hits: number; of: number },
): Figure {
  const percent = (part: number, whole: number) => (whole === 0 ? 0 : (100 * part) / whole)
  const [low, high] = interval(hits, of)
  return {
    id,
    value: percent(hits, of),
    unit: "%",
    better,
    rows: of,
    interval: [100 * low, 100 * high],
    ...(baseline ? { baseline: { name: baseline.name, value: percent(baseline.hits, baseline.of) } } : {}),
  }
}

/** Within which values an area under the curve lies in 95 of 100 cases, for so many rows on each side (Hanley and McNeil). */
export function areaInterval(area: number, above: number, below: number): [low: number, high: number] {
  if (above === 0 || below === 0) return [0, 1]
  const both = area / (2 - area) - area ** 2
  const other = (2 * area ** 2) / (1 + area) - area ** 2
  const variance = (area * (1 - area) + (above - 1) * both + (below - 1) * other) / (above * below)
  const spread = 1.96 * Math.sqrt(variance)
  return [Math.max(0, area - spread), Math.min(1, area + spread)]
}
