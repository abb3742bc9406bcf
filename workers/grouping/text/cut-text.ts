/**
 * Cuts by UTF-16 units, but never through a surrogate pair: half a pair cannot be stored as UTF-8.
 */
export function cutText(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text
  const last = text.charCodeAt(unitsMax - 1)
  const splitsPair = 0xd800 <= last && last <= 0xdbff
  return text.slice(0, splitsPair ? unitsMax - 1 : unitsMax)
}

/** The first line that is not blank, trimmed. */
export function firstLine(text: string, unitsMax: number): string {
  // Only the part that can be shown is searched, so a long text costs no more than a short one.
  const head = cutText(text.trimStart(), unitsMax)
  const end = head.search(/[\r\n]/)
  return (end === -1 ? head : head.slice(0, end)).trimEnd()
}
