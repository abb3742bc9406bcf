import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ownerName,
  ownershipRulesMax,
  ownersPerRuleMax,
  parseOwnership,
} from './parse-ownership.ts'

const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    ' ',
    '\n',
    '\\',
    '#',
    '@',
    '*',
    '**/',
    'path:',
    'tags.a:',
    '[',
    '!',
    '#web',
    'a@b',
  ),
)

test('no text makes it throw, rules are bounded, and owners read back as themselves', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const { rules } = parseOwnership(pieces.join(''))
      expect(rules.length).toBeLessThanOrEqual(ownershipRulesMax)
      for (const { owners, pattern } of rules) {
        expect(pattern).not.toBe('')
        expect(owners.length).toBeLessThanOrEqual(ownersPerRuleMax)
        const again = parseOwnership(`a ${owners.map(ownerName).join(' ')}`)
        expect(again.rules[0]?.owners).toEqual(owners)
      }
    }),
    { numRuns: 3_000 },
  )
})
