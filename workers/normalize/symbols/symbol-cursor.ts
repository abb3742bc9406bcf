/**
 * Reads the characters of a mangled symbol once, from left to right. The work is bounded by the
 * length of the symbol, so that no symbol costs more than its share of the event.
 */

const depthMax = 160
const stepsPerUnit = 8
const stepsFree = 64

/**
 * Longest text that is kept of a part. The name is cut to fewer characters in the end, so what
 * follows cannot be seen.
 */
export const partUnitsMax = 512

/** Thrown for a text that is no symbol of the kind, and caught where reading it began. */
export class NotASymbol extends Error {}

/** One for all: a stack trace for each wrong text would cost more than reading it. */
const notASymbol = new NotASymbol('not a symbol')

export class SymbolCursor {
  protected readonly text: string
  protected at = 0
  #stepsLeft: number
  #depth = 0

  protected constructor(text: string) {
    this.text = text
    this.#stepsLeft = stepsFree + stepsPerUnit * text.length
  }

  protected fail(): never {
    throw notASymbol
  }

  /** Reads a part that may have others in it. */
  protected nested<Part>(read: () => Part): Part {
    this.#stepsLeft--
    if (this.#stepsLeft < 0 || this.#depth >= depthMax) this.fail()
    this.#depth++
    const part = read()
    this.#depth--
    return part
  }

  protected get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  /** The next character; empty at the end. */
  protected peek(offset = 0): string {
    return this.text[this.at + offset] ?? ''
  }

  protected startsWith(prefix: string): boolean {
    return this.text.startsWith(prefix, this.at)
  }

  protected next(): string {
    const unit = this.peek()
    if (unit === '') this.fail()
    this.at++
    return unit
  }

  protected eat(prefix: string): boolean {
    if (!this.startsWith(prefix)) return false
    this.at += prefix.length
    return true
  }

  protected expect(prefix: string): void {
    if (!this.eat(prefix)) this.fail()
  }

  protected isDigit(offset = 0): boolean {
    const unit = this.text.charCodeAt(this.at + offset)
    return 0x30 <= unit && unit <= 0x39
  }

  /** A decimal number of at most nine digits. */
  protected decimal(): number {
    const start = this.at
    while (this.isDigit()) this.at++
    if (this.at === start || this.at - start > 9) this.fail()
    return Number(this.text.slice(start, this.at))
  }

  protected take(length: number): string {
    if (this.at + length > this.text.length) this.fail()
    this.at += length
    return this.text.slice(this.at - length, this.at)
  }
}

export function cutPart(text: string): string {
  return text.length > partUnitsMax ? text.slice(0, partUnitsMax) : text
}
