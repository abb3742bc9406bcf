/** The shortest bound of the slugs of teams, tags and newsletters. */
const charactersMax = 50

/** Proposes a slug of a-z, digits and dashes, without accents. Empty if nothing is left. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{ASCII}]/gu, (character) => spelled[character] ?? character)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, charactersMax)
    .replace(/-$/, '')
}

/** Characters that Unicode does not decompose. */
const spelled: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
}
