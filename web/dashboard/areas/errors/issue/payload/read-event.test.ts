import { expect, test } from 'vitest'
import { rawTrace } from './raw-trace.ts'
import { readEvent } from './read-event.ts'

const wrong = [null, 0, '', 'text', [], {}, true, [[]], { values: 1 }, { values: [null, 1, 'x'] }]

test('a payload of any shape can be read', () => {
  for (const payload of wrong) expect(readEvent(payload).exceptions).toEqual([])
  const fields = ['exception', 'threads', 'breadcrumbs', 'request', 'contexts', 'tags', 'logentry']
  for (const field of [
    ...fields,
    '_meta',
    'errors',
    'debug_meta',
    'stacktrace',
    'user',
    'extra',
    'sdk',
    'csp',
    'notes',
  ]) {
    for (const value of wrong) expect(() => readEvent({ [field]: value })).not.toThrow()
  }
})

const frames = [
  { function: 'main', filename: 'main.py', lineno: 3, in_app: true },
  {
    function: 'pay',
    filename: 'pay.py',
    lineno: 9,
    context_line: '    raise ValueError()',
    pre_context: ['def pay():'],
    post_context: ['', 'pay()'],
  },
]
const payload = {
  exception: {
    values: [
      { type: 'KeyError', value: 'card' },
      { type: 'ValueError', value: 'no card', stacktrace: { frames, frames_omitted: [1, 3] } },
    ],
  },
}

test('the frame of the crash is first, with numbered lines around it', () => {
  const stack = readEvent(payload).exceptions[1]?.stack
  expect(stack?.omitted).toBe(2)
  expect(stack?.frames.map((frame) => frame.function)).toEqual(['pay', 'main'])
  expect(stack?.frames[0]?.source).toEqual([
    { number: 8, text: 'def pay():', isCurrent: false },
    { number: 9, text: '    raise ValueError()', isCurrent: true },
    { number: 10, text: '', isCurrent: false },
    { number: 11, text: 'pay()', isCurrent: false },
  ])
})

test('a trace as text is in the order of its language', () => {
  const { exceptions } = readEvent(payload)
  expect(rawTrace(exceptions, 'python')).toBe(
    [
      'KeyError: card',
      '',
      'Traceback (most recent call last):',
      '  File "main.py", line 3, in main',
      '  File "pay.py", line 9, in pay',
      '    raise ValueError()',
      'ValueError: no card',
    ].join('\n'),
  )
  expect(rawTrace(exceptions, 'java')).toBe(
    [
      'ValueError: no card',
      '    at pay (pay.py:9)',
      '    … 2 more frames',
      '    at main (main.py:3)',
      '',
      'Caused by: KeyError: card',
    ].join('\n'),
  )
})
