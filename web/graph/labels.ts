import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering"
import { styleColour } from "./colours.ts"

/** Places a label right of its node, or left where there is more room; shortens it if neither is enough. */
function fitted(context: CanvasRenderingContext2D, text: string, x: number, gap: number) {
  const rightOf = context.canvas.width / context.getTransform().a - x - gap
  const leftOf = x - gap
  const wide = context.measureText(text).width
  const room = wide <= rightOf ? rightOf : Math.max(leftOf, rightOf)
  const shown =
    wide <= room ? text : `${text.slice(0, Math.max(0, Math.floor((text.length * room) / wide) - 2))}…`
  const shownWide = shown === text ? wide : context.measureText(shown).width
  return { shown, wide: shownWide, from: room === rightOf ? x + gap : x - gap - shownWide }
}

export const drawLabel: NodeLabelDrawingFunction = (context, { x, y, size, label }, settings) => {
  if (!label) return
  context.fillStyle = settings.labelColor.color ?? "#888"
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`
  const { shown, from } = fitted(context, label, x, size + 3)
  context.fillText(shown, from, y + settings.labelSize / 3)
}

/** Draws the label of the node under the pointer in the page's colours. */
export const drawHover: NodeHoverDrawingFunction = (context, data, settings) => {
  const { x, y, size, label } = data
  if (!label) return
  context.font = `${settings.labelSize}px ${settings.labelFont}`
  const { shown, from, wide } = fitted(context, label, x, size + 10)
  context.fillStyle = styleColour("raised")
  context.strokeStyle = styleColour("line-strong")
  context.beginPath()
  context.roundRect(from - 7, y - 12, wide + 14, 24, 6)
  context.fill()
  context.stroke()
  context.beginPath()
  context.arc(x, y, size + 3, 0, Math.PI * 2)
  context.strokeStyle = styleColour("accent")
  context.stroke()
  context.fillStyle = styleColour("text")
  context.fillText(shown, from, y + settings.labelSize / 3)
}
