import type Sigma from "sigma"

/** A shorter drag counts as a click. */
const clickPixels = 4
/** If a frame takes at most this long, every frame is drawn while dragging; otherwise the picture is shifted. */
const quickMs = 14
/** A shifted picture is redrawn when this share of it is out of sight, or when the mouse rests this long. */
const farthestPart = 0.3
const restMs = 160

interface Point {
  x: number
  y: number
}

/**
 * Pans the graph with the mouse. Sigma draws every frame, picks the node under the pointer at every move, and indexes all
 * nodes again at the end; with many memories and no graphics card that takes seconds. Here the browser shifts the drawn
 * picture, which is redrawn at the end.
 */
export function panByShifting(element: HTMLElement, sigma: Sigma, isLarge: boolean): () => void {
  /** The last position of the pressed mouse; undefined while it is up. */
  let hand: { at: Point; isDragging: boolean } | undefined
  let wasDragged = false
  /** The total drag distance, and the part of it that is drawn. */
  let wanted: Point = { x: 0, y: 0 }
  let drawn: Point = wanted
  let drawing: { since: number; to: Point } | undefined
  /** Measured at each drawing; large graphs count as slow until then. */
  let isQuick = !isLarge
  let rest: ReturnType<typeof setTimeout> | undefined

  const left = () => ({ x: wanted.x - drawn.x, y: wanted.y - drawn.y })
  const shift = () => {
    const { x, y } = left()
    element.style.transform = x === 0 && y === 0 ? "" : `translate(${x}px, ${y}px)`
    // Every shifted layer costs time, so style/pages.css hides all but the nodes.
    element.toggleAttribute("data-shifted", !isQuick && (x !== 0 || y !== 0 || hand?.isDragging === true))
  }
  /** Moves the camera to the dragged position, which redraws the picture. */
  const draw = () => {
    const { x, y } = left()
    if ((x === 0 && y === 0) || drawing !== undefined) return
    const from = sigma.viewportToFramedGraph({ x: 0, y: 0 })
    const to = sigma.viewportToFramedGraph({ x, y })
    const camera = sigma.getCamera()
    const state = camera.getState()
    drawing = { since: performance.now(), to: wanted }
    camera.setState({ x: state.x + from.x - to.x, y: state.y + from.y - to.y })
  }
  const onBefore = () => {
    if (drawing) drawing.since = performance.now()
  }
  const onAfter = () => {
    if (drawing === undefined) return
    waitForGraphicsCard(sigma)
    isQuick = performance.now() - drawing.since <= quickMs
    drawn = drawing.to
    drawing = undefined
    shift()
    if (hand === undefined) draw()
  }
  const onDown = ({ button, clientX: x, clientY: y }: MouseEvent) => {
    if (button === 0) hand = { at: { x, y }, isDragging: false }
    wasDragged = false
  }
  const onMove = (event: MouseEvent) => {
    if (hand === undefined) return
    // Otherwise Sigma would pick the node under the pointer and draw.
    event.stopPropagation()
    const x = event.clientX - hand.at.x
    const y = event.clientY - hand.at.y
    if (!hand.isDragging && Math.hypot(x, y) < clickPixels) return
    hand = { at: { x: event.clientX, y: event.clientY }, isDragging: true }
    wanted = { x: wanted.x + x, y: wanted.y + y }
    shift()
    clearTimeout(rest)
    rest = setTimeout(draw, restMs)
    if (isQuick || isFar(left(), element)) draw()
  }
  const onUp = () => {
    if (hand === undefined) return
    clearTimeout(rest)
    wasDragged = hand.isDragging
    hand = undefined
    draw()
  }
  const onClick = (event: MouseEvent) => {
    if (wasDragged) event.stopPropagation()
    wasDragged = false
  }
  sigma.on("beforeRender", onBefore)
  sigma.on("afterRender", onAfter)
  element.addEventListener("mousedown", onDown, { capture: true })
  element.addEventListener("click", onClick, { capture: true })
  window.addEventListener("mousemove", onMove, { capture: true })
  window.addEventListener("mouseup", onUp, { capture: true })
  return () => {
    clearTimeout(rest)
    window.removeEventListener("mousemove", onMove, { capture: true })
    window.removeEventListener("mouseup", onUp, { capture: true })
    element.removeEventListener("mousedown", onDown, { capture: true })
    element.removeEventListener("click", onClick, { capture: true })
    element.style.transform = ""
    element.removeAttribute("data-shifted")
  }
}

function isFar({ x, y }: Point, { clientWidth, clientHeight }: HTMLElement): boolean {
  return Math.abs(x) > clientWidth * farthestPart || Math.abs(y) > clientHeight * farthestPart
}

/** Reading one pixel waits until the graphics card has finished drawing. */
function waitForGraphicsCard(sigma: Sigma): void {
  const gl = sigma.getCanvases().nodes?.getContext("webgl2")
  gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4))
}
