import type { OtlpAttributes, OtlpValue } from '#schemas/wire/otlp-log.ts'

const tagKey = /^[a-zA-Z0-9_.:-]{1,200}$/
const tagCharactersMax = 200
/** Share of the hundred tags of an event; further attributes become extra data. */
const tagsMax = 80
/** Fields of an event, which a tag of the same name would contradict. */
const fieldNames: ReadonlySet<string> = new Set([
  'dist',
  'environment',
  'filename',
  'function',
  'release',
  'service',
  'user',
])

/** The attributes of a record or resource, and which of them already have a place in the event. */
export class TakenAttributes {
  readonly #attributes: OtlpAttributes
  readonly #taken = new Set<string>()

  constructor(attributes: OtlpAttributes) {
    this.#attributes = attributes
  }

  peek(key: string): OtlpValue | undefined {
    return this.#attributes.get(key)
  }

  /**
   * The text, or number as text, of an attribute that is marked as taken; empty for other types.
   */
  text(key: string): string {
    const value = this.#attributes.get(key)
    if (typeof value !== 'string' && typeof value !== 'number') return ''
    this.#taken.add(key)
    return String(value)
  }

  /** Takes the short scalars that are left. */
  tags(): Record<string, string> {
    const tags: [string, string][] = []
    for (const [key, value] of this.#attributes) {
      if (tags.length === tagsMax) break
      const text = typeof value === 'object' ? '' : String(value)
      const isShort = text !== '' && text.length <= tagCharactersMax && !/[\r\n]/.test(text)
      if (this.#taken.has(key) || !isShort || !tagKey.test(key) || fieldNames.has(key)) continue
      tags.push([key, text])
      this.#taken.add(key)
    }
    return Object.fromEntries(tags)
  }

  /** All attributes that are left. */
  rest(): Record<string, OtlpValue> | undefined {
    const rest = [...this.#attributes].filter(([key]) => !this.#taken.has(key))
    return rest.length === 0 ? undefined : Object.fromEntries(rest)
  }

  all(): Record<string, OtlpValue> | undefined {
    return this.#attributes.size === 0 ? undefined : Object.fromEntries(this.#attributes)
  }
}
