/** The origins of a text with one a line; commas are accepted, because other tools use them. */
export function originsOf(text: string): string[] {
  const parts = text.split(/[\n,]/).map((part) => part.trim())
  return [...new Set(parts.filter((part) => part !== ''))]
}
