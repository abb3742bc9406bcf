/**
 * Where a tag, a comment or a style element ends. Ask for ascending positions: what one question has found out about the rest of the
 * text answers the next, so that all of them together take time in proportion to the text, however it was written.
 */

export interface Markup {
  readonly kind: 'tag' | 'style' | 'comment'
  /** Index behind its last character. */
  readonly end: number
}

const commentStart = '<!--'
const commentEnd = '-->'
const tagStart = /<[/!]?[a-z]/iy
const styleStart = /<style\b/iy
const styleEnd = /<\/style>/gi

/** Outside of quotes, and within each kind. Bits, because a position may have been passed in several of them. */
const states = { unquoted: 1, double: 2, single: 4 } as const

export class MarkupScanner {
  readonly #html: string
  /** In which states each position was passed by a search for the end of a tag. */
  #passed: Uint8Array | undefined
  #hasCommentEnd = true
  #hasStyleEnd = true

  constructor(html: string) {
    this.#html = html
  }

  /** Undefined: the `<` at `start` is text. */
  markupAt(start: number): Markup | undefined {
    if (this.#html.startsWith(commentStart, start)) {
      const end = this.#commentEnd(start)
      return end === undefined ? undefined : { kind: 'comment', end }
    }
    const styleEndsAt = isAt(styleStart, this.#html, start) ? this.#styleEnd(start) : undefined
    if (styleEndsAt !== undefined) return { kind: 'style', end: styleEndsAt }
    const end = isAt(tagStart, this.#html, start) ? this.#tagEnd(start) : undefined
    if (end === undefined) return undefined
    return { kind: isAt(styleStart, this.#html, start) ? 'style' : 'tag', end }
  }

  #commentEnd(start: number): number | undefined {
    if (!this.#hasCommentEnd) return undefined
    const end = this.#html.indexOf(commentEnd, start + commentStart.length)
    this.#hasCommentEnd = 0 <= end
    return end < 0 ? undefined : end + commentEnd.length
  }

  #styleEnd(start: number): number | undefined {
    if (!this.#hasStyleEnd) return undefined
    const open = this.#html.indexOf('>', start)
    styleEnd.lastIndex = open < 0 ? this.#html.length : open + 1
    this.#hasStyleEnd = styleEnd.test(this.#html)
    return this.#hasStyleEnd ? styleEnd.lastIndex : undefined
  }

  /** A position that was passed before in the same state led to no end then, and does not now. */
  #tagEnd(start: number): number | undefined {
    this.#passed ??= new Uint8Array(this.#html.length)
    const passed = this.#passed
    let state: number = states.unquoted
    for (let index = start + 1; index < this.#html.length; index += 1) {
      if ((passed[index]! & state) !== 0) return undefined
      passed[index]! |= state
      const character = this.#html[index]
      if (character === '"' && state !== states.single) {
        state = state === states.double ? states.unquoted : states.double
      } else if (character === "'" && state !== states.double) {
        state = state === states.single ? states.unquoted : states.single
      } else if (character === '>' && state === states.unquoted) return index + 1
    }
    return undefined
  }
}

function isAt(pattern: RegExp, text: string, index: number): boolean {
  pattern.lastIndex = index
  return pattern.test(text)
}
