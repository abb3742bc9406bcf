import { describe, expect, test } from 'vitest'
import {
  appFrames,
  buildEvent,
  type EventInShort,
  libraryFrame,
} from '../../test/fixtures/grouping/build-event.ts'
import { one, valueError } from '../../test/fixtures/grouping/g1-pairs.ts'
import { groupEvent } from './group-v1.ts'

const coarse = (event: EventInShort) => groupEvent(buildEvent(event)).coarsen()
const kind = (event: EventInShort) => groupEvent(buildEvent(event)).kind()
const message = (formatted: string): EventInShort => ({
  message: { template: undefined, formatted },
})

// biome-ignore format: the columns are the point
test.each([
  ['other callers', one(valueError({ frames: appFrames('a', 'x') })), one(valueError({ frames: appFrames('b', 'x') })), 'same'],
  ['other library frames', one(valueError({ frames: [...appFrames('x'), libraryFrame('a')] })), one(valueError({ frames: [...appFrames('x'), libraryFrame('b')] })), 'same'],
  ['another fingerprint', one(valueError(), { fingerprint: ['1'] }), one(valueError(), { fingerprint: ['2'] }), 'same'],
  ['another place of the crash', one(valueError({ frames: appFrames('a', 'x') })), one(valueError({ frames: appFrames('a', 'y') })), 'different'],
  ['another type', one(valueError()), one(valueError({ type: 'KeyError' })), 'different'],
  ['messages that begin alike', message('lost order of Ann'), message('lost order of Bob'), 'same'],
  ['messages that begin otherwise', message('lost order of Ann'), message('no order of Ann'), 'different'],
] as const)('%s', (_name, left, right, want) => {
  const same = coarse(left).hashes[0].hash === coarse(right).hashes[0].hash
  expect(same ? 'same' : 'different').toBe(want)
  expect(kind(left) === kind(right)).toBe(want === 'same' || _name === 'another place of the crash')
})

describe('a coarse grouping', () => {
  const event = one(valueError({ value: 'secret' }))

  test('keeps title and culprit, has one different hash, and explains it', () => {
    const fine = groupEvent(buildEvent(event))
    const { hashes, title, culprit, path } = fine.coarsen()
    expect({ title, culprit, path }).toEqual({ ...pick(fine), path: 'coarse' })
    expect(hashes.map(({ variant }) => variant)).toEqual(['coarse'])
    expect(fine.hashes.map(({ hash }) => hash)).not.toContain(hashes[0].hash)
    const explanation = fine.coarsen().explain()
    expect(explanation.variants[0]).toMatchObject({
      hash: hashes[0].hash,
      pieces: [
        ['limit', 'too many new issues of this kind'],
        ['type', 'ValueError'],
        ['module', 'shop.cart'],
        ['function', 'add_item'],
      ],
    })
    expect(explanation.summary).toContain('too many new issues')
    expect(JSON.stringify(explanation)).not.toContain('secret')
  })

  test('never changes', () => {
    expect(coarse(event).hashes[0].hash).toBe(frozenHash)
    const bare = coarse(event).coarsen()
    expect(bare.hashes[0].hash).toBe(frozenBareHash)
    expect(bare.coarsen()).toBe(bare)
  })

  test('does not join monitors that fail at the same time', () => {
    const failure = (slug: string): EventInShort => ({
      ...{ ...message(`Monitor failure: ${slug}`), sdk: 'sluice.monitors' },
      fingerprint: ['cron', slug, 'production', 'missed'],
    })
    expect(kind(failure('job-1'))).not.toBe(kind(failure('job-2')))
  })

  test('of an empty event also has a kind and a hash', () => {
    expect(kind({})).toBe('no type')
    expect(coarse({}).hashes[0].hash).toMatch(/^[0-9a-f]{32}$/)
  })
})

const frozenBareHash = 'fceea55fce13e8eb01cb70c643fab0e2'
const frozenHash = '5c6032fb710777ae9d08f43ff7a80de2'

function pick({ title, culprit }: { title: string; culprit: string }) {
  return { title, culprit }
}
