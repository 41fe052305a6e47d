import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering"
import { styleColour } from "./colours.ts"

/** Where a label begins that is so wide: right of its node, or left of it where it would be cut at the edge. */
function beside(context: CanvasRenderingContext2D, x: number, gap: number, wide: number): number {
  const isCut = x + gap + wide > context.canvas.width / context.getTransform().a
  return isCut && x - gap - wide > 0 ? x - gap - wide : x + gap
}

/** The label of a node. */
export const drawLabel: NodeLabelDrawingFunction = (context, { x, y, size, label }, settings) => {
  if (!label) return
  context.fillStyle = settings.labelColor.color ?? "#888"
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`
  const from = beside(context, x, size + 3, context.measureText(label).width)
  context.fillText(label, from, y + settings.labelSize / 3)
}

/** The label of the node under the pointer, on the page's own colours. */
export const drawHover: NodeHoverDrawingFunction = (context, data, settings) => {
  const { x, y, size, label } = data
  if (!label) return
  context.font = `${settings.labelSize}px ${settings.labelFont}`
  const wide = context.measureText(label).width + 14
  context.fillStyle = styleColour("raised")
  context.strokeStyle = styleColour("line-strong")
  context.beginPath()
  const from = beside(context, x, size + 3, wide)
  context.roundRect(from, y - 12, wide, 24, 6)
  context.fill()
  context.stroke()
  context.beginPath()
  context.arc(x, y, size + 3, 0, Math.PI * 2)
  context.strokeStyle = styleColour("accent")
  context.stroke()
  context.fillStyle = styleColour("text")
  context.fillText(label, from + 7, y + settings.labelSize / 3)
}
