/** The shortest bound of the short names of teams, tags and newsletters. */
const charactersMax = 50

/**
 * Proposes the short name of something by its name: lower case letters, digits and dashes. Letters
 * with accents lose them. Empty if no letter or digit is left.
 */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[ßæœøłđ]/g, (letter) => spelled[letter] ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, charactersMax)
    .replace(/-$/, '')
}

/** Letters that Unicode does not decompose. */
const spelled: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
}
