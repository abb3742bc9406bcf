/**
 * Globs that people write: `*` matches any number of characters, everything else matches itself
 * regardless of case. Each piece between stars is searched from the end of the piece before, so a
 * match takes one pass over the text for any glob.
 */
export type Glob = (text: string) => boolean

export function compileGlob(pattern: string): Glob {
  const pieces = pattern.toLowerCase().split('*')
  const [first = ''] = pieces
  const last = pieces.at(-1) ?? ''
  if (pieces.length === 1) return (text) => text.toLowerCase() === first
  const inner = pieces.slice(1, -1).filter((piece) => piece !== '')
  return (text) => {
    const lower = text.toLowerCase()
    if (!lower.startsWith(first)) return false
    let at = first.length
    for (const piece of inner) {
      const found = lower.indexOf(piece, at)
      if (found === -1) return false
      at = found + piece.length
    }
    return lower.length - last.length >= at && lower.endsWith(last)
  }
}
