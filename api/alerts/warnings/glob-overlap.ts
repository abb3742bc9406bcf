/** Compares texts with stars (`*` matches any text), to find conditions that exclude each other. */

/** A text, split at its stars, as `SearchPattern` of schemas/search/search-query.ts. */
export type Glob = readonly string[]

export const globOf = (text: string): Glob => text.split('*')
export const exactly = (text: string): Glob => [text]

const isExact = (glob: Glob) => glob.length === 1

/** Whether some text matches both. A comparison with a star ignores case, as a search does. */
export function canOverlap(left: Glob, right: Glob): boolean {
  if (isExact(left) && isExact(right)) return left[0] === right[0]
  const a = charactersOf(left)
  const b = charactersOf(right)
  // reachable[j]: the first i characters of `a` and the first j of `b` can match the same text.
  let reachable = b.map(() => false).concat(false)
  for (let i = 0; i <= a.length; i += 1) {
    const next: boolean[] = []
    for (let j = 0; j <= b.length; j += 1) {
      const isStart = i === 0 && j === 0
      const fromAbove = i > 0 && reachable[j] === true
      const fromLeft = j > 0 && next[j - 1] === true
      const fromBoth = i > 0 && j > 0 && reachable[j - 1] === true
      next[j] =
        isStart ||
        // A star matches nothing, or one more character of the other side.
        (fromAbove && (a[i - 1] === star || b[j - 1] === star)) ||
        (fromLeft && (b[j - 1] === star || a[i - 1] === star)) ||
        (fromBoth && (a[i - 1] === star || b[j - 1] === star || a[i - 1] === b[j - 1]))
    }
    reachable = next
  }
  return reachable[b.length] === true
}

/** The steps that `canOverlap` takes. */
export function overlapCost(left: Glob, right: Glob): number {
  if (isExact(left) && isExact(right)) return 1
  return (left.join('*').length + 1) * (right.join('*').length + 1)
}

/** Whether the glob matches the text, in linear time. */
export function matchesGlob(text: string, glob: Glob): boolean {
  if (isExact(glob)) return text === glob[0]
  const lower = text.toLowerCase()
  const pieces = glob.map((piece) => piece.toLowerCase())
  const [first = '', ...others] = pieces
  const last = others.pop() ?? ''
  if (!lower.startsWith(first)) return false
  let at = first.length
  for (const piece of others) {
    const found = lower.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return lower.length - last.length >= at && lower.endsWith(last)
}

/** Whether every text that matches `inner` is known to match `outer`. */
export function isCovered(inner: Glob, outer: Glob): boolean {
  if (isExact(inner)) return canOverlap(inner, outer)
  if (outer.every((piece) => piece === '')) return outer.length > 1
  return inner.join('*').toLowerCase() === outer.join('*').toLowerCase() && !isExact(outer)
}

/** A star beside characters. */
const star = 0 as const
type Character = string | typeof star

function charactersOf(glob: Glob): Character[] {
  return glob.flatMap((piece, index): Character[] => [
    ...(index === 0 ? [] : [star]),
    ...piece.toLowerCase(),
  ])
}
