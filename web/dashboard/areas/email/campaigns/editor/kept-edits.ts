/**
 * Edits of a draft that the server has not stored yet, in the storage of the tab: they survive
 * another page, a reload and a crash of the browser. The next visit of the draft saves them.
 */

export interface KeptEdits<Fields extends object> {
  readonly change: Partial<Fields>
  /** The version of the draft that the edits were made on. */
  readonly version: string
}

type Place = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** The edits of one person in one draft. */
export class KeptEditsStore<Fields extends object> {
  readonly #key: string
  readonly #place: () => Place

  constructor(
    { personId, campaignId }: { readonly personId: string; readonly campaignId: string },
    place: () => Place = () => sessionStorage,
  ) {
    this.#key = `sluice.draft.${personId}.${campaignId}`
    this.#place = place
  }

  /** Keeps the edits; without any, nothing is kept. */
  keep(edits: KeptEdits<Fields>): void {
    const isEmpty = Object.keys(edits.change).length === 0
    this.#try((place) =>
      isEmpty ? place.removeItem(this.#key) : place.setItem(this.#key, JSON.stringify(edits)),
    )
  }

  /** Undefined without edits, and when the draft has the same values already. */
  read(stored: Fields): KeptEdits<Fields> | undefined {
    const kept = this.#parse()
    if (kept === undefined) return undefined
    const names = Object.keys(kept.change) as (keyof Fields)[]
    if (names.some((name) => kept.change[name] !== stored[name])) return kept
    this.drop()
    return undefined
  }

  drop(): void {
    this.#try((place) => place.removeItem(this.#key))
  }

  #parse(): KeptEdits<Fields> | undefined {
    const text = this.#try((place) => place.getItem(this.#key))
    if (text === null || text === undefined) return undefined
    try {
      return JSON.parse(text) as KeptEdits<Fields>
    } catch {
      return undefined
    }
  }

  /** Storage may be full or switched off; then the edits are on the page only. */
  #try<Result>(use: (place: Place) => Result): Result | undefined {
    try {
      return use(this.#place())
    } catch {
      return undefined
    }
  }
}
