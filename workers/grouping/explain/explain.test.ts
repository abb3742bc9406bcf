import { describe, expect, test } from 'vitest'
import {
  appFrames,
  buildEvent,
  type EventInShort,
  libraryFrame,
} from '../../../test/fixtures/grouping/build-event.ts'
import { groupEvent } from '../group-v1.ts'
import type { GroupingExplanation } from '../grouping.ts'
import { firstDifference } from './explain-difference.ts'

function explain(event: EventInShort): GroupingExplanation {
  return groupEvent(buildEvent(event)).explain()
}

function stacked(...functions: string[]): EventInShort {
  return { exceptions: [{ type: 'ValueError', value: 'user 12', frames: appFrames(...functions) }] }
}

describe('explaining', () => {
  test('names the used and the ignored parts', () => {
    const frames = [
      ...appFrames('a', 'b', 'c', 'd'),
      ...Array.from({ length: 12 }, (_, index) => libraryFrame(`l${index}`)),
    ]
    const explanation = explain({ exceptions: [{ type: 'ValueError', value: 'x', frames }] })
    expect(explanation.summary).toBe(
      'Grouped by the exception type and 4 in-app frames. Line numbers, the message and 12 library frames were ignored.',
    )
    expect(explanation.variants[0]?.pieces.slice(0, 3)).toEqual([
      ['type', 'ValueError'],
      ['module', 'shop.cart'],
      ['function', 'd'],
    ])
    expect(explanation.variants[0]?.skipped).toContainEqual({
      what: 'frame 1: django.core.handlers in l11',
      why: 'not in-app, as the client says',
    })
  })

  test('names the list entry that made a frame a library', () => {
    const frames = [
      { function: 'get', filename: '/usr/lib/python3.12/site-packages/x/y.py' },
      ...appFrames('a'),
    ]
    expect(explain({ exceptions: [{ type: 'E', frames }] }).rules).toEqual([
      'in-app default: python//site-packages/',
    ])
  })

  test('counts replaced parts and never shows them', () => {
    const explanation = explain({
      exceptions: [{ type: 'E', value: 'ann@mail.example has 3 of 4' }],
    })
    expect(explanation.replaced).toEqual([
      { kind: 'email', count: 1 },
      { kind: 'number', count: 2 },
    ])
    expect(JSON.stringify(explanation)).not.toContain('ann@')
  })

  test('never shows the message, a tag or a user of an event with a stack', () => {
    const secret = 'hunter2-secret'
    const event: EventInShort = {
      ...stacked('a'),
      exceptions: [{ type: 'E', value: secret, frames: appFrames('a') }],
      message: { template: undefined, formatted: secret },
      tags: [['customer', secret]],
      user: { id: secret, email: secret, name: secret, ip: secret },
      fingerprint: ['{{ default }}', '{{ tags.customer }}'],
    }
    expect(JSON.stringify(explain(event))).not.toContain(secret)
    expect(explain(event).variants[0]?.pieces[0]?.[1]).toMatch(
      /^\{\{ tags\.customer \}\} #[0-9a-f]{8}$/,
    )
  })

  test('is bounded', () => {
    const frames = Array.from({ length: 200 }, (_, index) => [
      { module: `m${index}`, function: `f${index}`, inApp: true },
      { module: `l${index}`, function: `f${index}`, inApp: false },
    ]).flat()
    const { variants, rules } = explain({ exceptions: [{ type: 'x'.repeat(10_000), frames }] })
    for (const { pieces, skipped } of variants) {
      expect(pieces.length).toBeLessThanOrEqual(40)
      expect(skipped.length).toBeLessThanOrEqual(20)
      for (const [, value] of pieces) expect(value.length).toBeLessThanOrEqual(512)
    }
    expect(rules.length).toBeLessThanOrEqual(20)
  })

  test('notes folded frames', () => {
    expect(explain(stacked('a', 'a', 'a')).notes).toEqual(['2 recursive frames folded'])
  })

  // biome-ignore format: the columns are the point
  const summaries: readonly (readonly [event: EventInShort, summary: string])[] = [
    [{ fingerprint: ['db'] }, 'Grouped by the fingerprint that the client set; the stack trace and the message do not matter.'],
    [{ ...stacked('a'), fingerprint: ['{{default}}', 'db'] }, 'Grouped by the exception type and 1 in-app frame, together with the fingerprint the client added. Line numbers and the message were ignored.'],
    [{ exceptions: [{ type: 'E', value: 'order 1' }] }, 'Grouped by the exception type and the message with its variable parts replaced, since there is no usable stack trace.'],
    [{ message: { template: undefined, formatted: 'hello' } }, 'Grouped by the message.'],
    [{}, 'Grouped by nothing but the project: the event has no grouping information.'],
  ]
  test.each(summaries)('%j', (event, summary) => {
    expect(explain(event).summary).toBe(summary)
  })
})

describe('what would have made another issue', () => {
  // biome-ignore format: the columns are the point
  const sentences: readonly (readonly [event: EventInShort, sentence: string])[] = [
    [{ fingerprint: ['db'] }, 'Another fingerprint would have made another issue. Nothing else counts.'],
    [{ checksum: 'x' }, 'Another checksum would have made another issue. Nothing else counts.'],
    [stacked('a'), 'Another exception type, another function or module in these frames, or another order of them would have made another issue. Another message, other line numbers, and other frames of libraries would not.'],
    [{ ...stacked('a'), fingerprint: ['{{default}}', 'db'] }, 'Another value of the fingerprint would have made another issue, and so would another exception type, another function or module in these frames, or another order of them. Another message, other line numbers, and other frames of libraries would not.'],
    [{ exceptions: [{ type: 'E', value: 'order 1' }] }, 'Another exception type or other words in the message would have made another issue. Other values of its variable parts would not.'],
    [{ exceptions: [{ type: 'E', value: 'gone' }, { type: 'F', value: 'lost' }] }, 'Another exception type, one more or one fewer in the chain, or another message would have made another issue. Numbers, ids, addresses and other variable parts would not, if it had any.'],
    [{ message: { template: undefined, formatted: 'hello' } }, 'Another message would have made another issue. Numbers, ids, addresses and other variable parts would not, if it had any.'],
    [{ securityReport: { directive: 'img-src', blockedHost: 'a.example' } }, 'Another directive or another blocked host would have made another issue. The page would not.'],
    [{}, 'An exception, a message, or a fingerprint would have made another issue.'],
  ]
  test.each(sentences)('%j', (event, sentence) => {
    expect(explain(event).otherwise).toBe(sentence)
  })

  test('the thrown exception and the frame nearest the crash come first', () => {
    const event: EventInShort = {
      exceptions: [
        { type: 'KeyError', frames: appFrames('load') },
        { type: 'ValueError', frames: appFrames('a', 'b') },
      ],
    }
    expect(explain(event).variants[0]?.pieces.map(([, value]) => value)).toEqual([
      'ValueError',
      'shop.cart',
      'b',
      'shop.cart',
      'a',
      'KeyError',
      'shop.cart',
      'load',
    ])
  })

  test('a fingerprint that the client added comes before what it is added to', () => {
    const event = { ...stacked('a'), fingerprint: ['{{ default }}', 'db'] }
    expect(explain(event).variants[0]?.pieces[0]).toEqual(['fingerprint', 'db'])
  })
})

describe('the first difference', () => {
  test('is none between events of one issue', () => {
    expect(firstDifference(explain(stacked('a')), explain(stacked('a')))).toBeUndefined()
  })

  test('is the first piece that differs', () => {
    const difference = firstDifference(
      explain(stacked('a', 'add')),
      explain(stacked('a', 'remove')),
    )
    expect(difference).toMatchObject({
      left: { variant: 'app', piece: ['function', 'add'] },
      right: { variant: 'app', piece: ['function', 'remove'] },
      pieceIndex: 2,
      sentence: 'The function differs: "add" and "remove".',
    })
  })

  test('may be the end of one list', () => {
    const difference = firstDifference(explain(stacked('b', 'a')), explain(stacked('a')))
    expect(difference?.sentence).toBe(
      'One goes on with the module "shop.cart" where the other ends.',
    )
  })

  test('names both paths when they differ', () => {
    const difference = firstDifference(explain(stacked('a')), explain({}))
    expect(difference?.sentence).toContain('by exception-stack and by fallback')
  })
})
