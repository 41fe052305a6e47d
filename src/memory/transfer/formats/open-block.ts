/** A bullet that is being read, or a paragraph, which is indented by -1. */
export interface Open {
  line: number
  lines: string[]
  headings: string[]
  indent: number
  /** The bullet it stands under, or the paragraph that introduces its list. */
  parent: Open | undefined
  /** How many of its lines come before the first line of code in it; undefined if there is none. */
  codeAt: number | undefined
}
