/** Characters whose lower case is not what ClickHouse compares them with. */
const special = /[\u017f\u0130\u1e9e\u03c2]/

/**
 * Lower case character by character, so that a part of a text stays a part of it: no character
 * depends on its neighbours, as a final sigma does.
 */
export function foldCase(text: string): string {
  const lower = text.toLowerCase()
  // Lower case of a text may have a final sigma that the text has not.
  if (!special.test(text) && !special.test(lower)) return lower
  let folded = ''
  for (const character of text) folded += foldCharacter(character)
  return folded
}

function foldCharacter(character: string): string {
  if (character === '\u017f') return 's'
  if (character === '\u03c2') return 'σ'
  const lower = character.toLowerCase()
  return [...lower].length === 1 ? lower : character
}
