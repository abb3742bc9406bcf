/** Finds the name that was probably meant, for errors about unknown names. */

const nameCharactersMax = 64

/** The rule for an unknown field, with the field that was probably meant. */
export function unknownFieldRule(name: string, known: readonly string[]): string {
  const meant = closestName(name, known)
  return meant === undefined ? 'unknown field' : `unknown field. Did you mean \`${meant}\`?`
}

/**
 * The known name with the smallest distance to `name`; undefined when none is close. Case, `_` and
 * `-` are ignored.
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > nameCharactersMax) return undefined
  const wanted = plain(name)
  const candidates = known.map((candidate) => ({
    candidate,
    distance: editDistance(wanted, plain(candidate)),
  }))
  candidates.sort((a, b) => a.distance - b.distance)
  const [best] = candidates
  if (best === undefined) return undefined
  return best.distance <= Math.floor(Math.max(wanted.length, 3) / 3) ? best.candidate : undefined
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** Edit distance with insertions, deletions, replacements and swaps (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      let distance = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
      )
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (row > 1 && column > 1 && isSwapped)
        distance = Math.min(distance, beforeLast[column - 2]! + 1)
      current.push(distance)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
