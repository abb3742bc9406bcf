/**
 * Remembers the results of a function of one text. The frames of a program have few paths, modules
 * and functions, and reading one costs more than finding it. Bounded: when full, it starts again.
 */

const entriesMax = 2048
const keyUnitsMax = 512

export function remember<Result extends {}>(
  compute: (text: string) => Result,
): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const result = compute(text)
    if (text.length <= keyUnitsMax) {
      if (known.size >= entriesMax) known.clear()
      known.set(text, result)
    }
    return result
  }
}
