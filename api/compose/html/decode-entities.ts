const characters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
  '#39': "'",
  '#x27': "'",
  apos: "'",
}

/** Decodes the few entities that serialisers and editors write. */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|nbsp|apos|#39|#x27);/g, (_, name: string) => {
    return characters[name]!
  })
}
