import { expect, test } from 'vitest'
import { foldCase } from './fold-case.ts'

/** The slow and obvious way. */
function foldCharacter(character: string): string {
  if (character === '\u017f') return 's'
  if (character === '\u03c2') return '\u03c3'
  const lower = character.toLowerCase()
  return [...lower].length === 1 ? lower : character
}

/** No character above has a lower case. */
test('every character is folded as if it stood alone', () => {
  const wrong: string[] = []
  for (let code = 0; code <= 0x1ffff; code += 1) {
    const character = String.fromCodePoint(code)
    const want = foldCharacter(character)
    // With an A before and a special character behind, which asks for the careful way.
    const found = foldCase(`A${character}\u0130\u03a3${character}`)
    if (foldCase(character) !== want || found !== `a${want}\u0130\u03c3${want}`) {
      wrong.push(code.toString(16))
    }
  }
  expect(wrong).toEqual([])
})
