import type Sigma from "sigma"

/** A shorter way is a click. */
const clickPixels = 4
/** A machine that draws a frame in this time draws each while the graph is dragged; others shift the picture. */
const quickMs = 14
/** A shifted picture is drawn anew when so much of it is out of sight, or when the hand rests so long. */
const farthestPart = 0.3
const restMs = 160

interface Point {
  x: number
  y: number
}

/**
 * Drags the graph with the mouse. Sigma draws every frame, asks the graphics card at every move what is under the
 * pointer, and indexes all nodes again at the end; with many memories and no graphics card that takes seconds. Here the
 * drawn picture is shifted by the browser, and drawn anew where it ends.
 */
export function panByShifting(element: HTMLElement, sigma: Sigma, isLarge: boolean): () => void {
  /** Where the mouse was pressed, and how far it has come; undefined while it is up. */
  let hand: { at: Point; isDragging: boolean } | undefined
  let wasDragged = false
  /** How far the graph was dragged in all, and how far of that is drawn. */
  let wanted: Point = { x: 0, y: 0 }
  let drawn: Point = wanted
  let drawing: { since: number; to: Point } | undefined
  /** Not known before something was drawn; many memories are taken to be slow. */
  let isQuick = !isLarge
  let rest: ReturnType<typeof setTimeout> | undefined

  const left = () => ({ x: wanted.x - drawn.x, y: wanted.y - drawn.y })
  const shift = () => {
    const { x, y } = left()
    element.style.transform = x === 0 && y === 0 ? "" : `translate(${x}px, ${y}px)`
    // Each layer that is shifted costs; the memories alone show where one is (style/pages.css hides the rest).
    element.toggleAttribute("data-shifted", !isQuick && (x !== 0 || y !== 0 || hand?.isDragging === true))
  }
  /** Moves the camera to where the hand is; what is drawn takes the place of the shifted picture. */
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
    // Sigma would look for what is under the pointer, and draw.
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

/** Reading one pixel waits until all that was asked for is drawn. */
function waitForGraphicsCard(sigma: Sigma): void {
  const gl = sigma.getCanvases().nodes?.getContext("webgl2")
  gl?.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4))
}
