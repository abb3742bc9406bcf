/**
 * Placeholders must survive Markdown, sanitising, inlining and the text part byte for byte, and
 * nothing that an author writes may be taken for one. So each slot is a mark while the email is
 * composed: lower-case alphanumeric text with a number that the source does not contain.
 * Compiling finds the marks and derives from their place how a value must be escaped there.
 */
import type { LinkSlot, Part, Slot } from '#schemas/mail/compiled-email.ts'
import type { SlotContext } from '#schemas/mail/escape-value.ts'
import { type Placeholder, parseTemplate } from '../template.ts'
import { unusedNumber } from '../unused-number.ts'

type MarkedSlot = Placeholder | Pick<LinkSlot, 'link' | 'index'>

export class SlotMarks {
  /** Number of placeholders so far; one that is written twice counts twice. */
  valueCount = 0
  readonly #slots: MarkedSlot[] = []
  readonly #prefix: string
  readonly #pattern: RegExp

  /** `sources`: everything that authors wrote for this email. */
  constructor(sources: readonly string[]) {
    const written = sources.join('\n').toLowerCase()
    this.#prefix = `zq${unusedNumber(written, /zq(\d{1,9})s/g)}s`
    this.#pattern = new RegExp(`${this.#prefix}(\\d{1,6})(z|u|v)`, 'g')
  }

  /**
   * The source with a mark for each placeholder. `decode` turns the fallback's text, as the source
   * spells it, into plain text.
   */
  protect(source: string, decode: (text: string) => string = (text) => text): string {
    let marked = ''
    for (const part of parseTemplate(source)) {
      if (typeof part === 'string') marked += part
      else {
        this.valueCount += 1
        marked += this.mark({ ...part, fallback: decode(part.fallback) })
      }
    }
    return marked
  }

  mark(slot: MarkedSlot): string {
    this.#slots.push(slot)
    return `${this.#prefix}${this.#slots.length - 1}z`
  }

  has(text: string): boolean {
    return text.includes(this.#prefix)
  }

  startsWith(text: string): boolean {
    return text.trimStart().startsWith(this.#prefix)
  }

  /** The text with placeholders in place of their marks, for messages to the author. */
  withPlaceholders(text: string): string {
    return text.replace(this.#pattern, (mark, no: string) => {
      const slot = this.#slots[Number(no)]
      if (slot === undefined || !('value' in slot)) return mark
      return slot.fallback === '' ? `{{${slot.value}}}` : `{{${slot.value} | ${slot.fallback}}}`
    })
  }

  /**
   * A link target for the text part, which has no attributes. The last character of each mark
   * records whether the value begins the address (`u`) or continues it (`v`).
   */
  asAddress(url: string): string {
    let isFirst = this.startsWith(url)
    return url.replace(this.#pattern, (_mark, no: string) => {
      const end = isFirst ? 'u' : 'v'
      isFirst = false
      return `${this.#prefix}${no}${end}`
    })
  }

  /** Literals and slots. `contextAt` gets the offset of a mark in `text`. */
  compile(text: string, contextAt: (offset: number) => SlotContext): Part[] {
    const parts: Part[] = []
    let from = 0
    for (const match of text.matchAll(this.#pattern)) {
      const marked = this.#slots[Number(match[1])]
      if (marked === undefined) continue
      if (from < match.index) parts.push(text.slice(from, match.index))
      const place = match[2]
      const context =
        place === 'u' ? 'url_start_text' : place === 'v' ? 'url_part_text' : contextAt(match.index)
      parts.push(slotOf(marked, context))
      from = match.index + match[0].length
    }
    if (from < text.length) parts.push(text.slice(from))
    return parts
  }
}

function slotOf(marked: MarkedSlot, context: SlotContext): Slot {
  if ('value' in marked) return { ...marked, context }
  const isText = context === 'text' || context === 'header'
  return { ...marked, context: isText ? 'text' : 'attribute' }
}
