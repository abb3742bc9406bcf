const isPlain = /^[\0-\x7f]*$/
/** Letters whose lower case is not the letter that ClickHouse compares them with. */
const special = /[\u017f\u0130\u1e9e\u03c2]/

/**
 * Lower case letter by letter, so that a text keeps its length and a part of it stays a part: no
 * letter depends on its neighbours, as a final sigma does.
 */
export function foldCase(text: string): string {
  if (isPlain.test(text) || !special.test(text)) return text.toLowerCase().replaceAll('ς', 'σ')
  let folded = ''
  for (const letter of text) folded += foldLetter(letter)
  return folded
}

function foldLetter(letter: string): string {
  if (letter === '\u017f') return 's'
  if (letter === '\u03c2') return 'σ'
  const lower = letter.toLowerCase()
  return [...lower].length === 1 ? lower : letter
}
