/** A small cache of texts with two generations; the older is dropped when the younger is full. */
export interface RecentTexts {
  get(key: string): string | undefined
  set(key: string, value: string): void
}

/** Holds between half of `entriesMax` and `entriesMax` of the texts used last. */
export function recentTexts(entriesMax: number): RecentTexts {
  const generationMax = Math.ceil(entriesMax / 2)
  let young = new Map<string, string>()
  let old = new Map<string, string>()

  function set(key: string, value: string): void {
    if (young.size >= generationMax) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }

  return {
    get(key) {
      const known = young.get(key)
      if (known !== undefined) return known
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
  }
}
