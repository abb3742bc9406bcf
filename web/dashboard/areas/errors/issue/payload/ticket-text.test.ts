import { expect, test } from 'vitest'
import { ticketText } from './ticket-text.ts'

const event = {
  id: '9ec79c33ec9942ab8353589fcb2e04dc',
  title: 'TypeError: x is [undefined](http://evil.test)\n# heading',
  culprit: 'pay',
  level: 'error',
  release: 'shop@1.4.1',
  environment: null,
  timestamp: '2026-11-21T01:02:03.412Z',
  payload: {
    exception: {
      values: [
        {
          type: 'TypeError',
          value: '``` ends the fence',
          stacktrace: {
            frames: [
              { function: 'handle', filename: 'lib.js', lineno: 1, in_app: false },
              { function: 'pay', filename: 'pay.ts', lineno: 7, in_app: true },
            ],
          },
        },
      ],
    },
  },
}

test('a ticket says what, how often, where, and cannot be broken by the text of the event', () => {
  const issue = {
    short_id: 'SHOP-12',
    count: 42,
    user_count: 7,
    first_seen: '2026-11-20T08:15:00.000Z',
    last_seen: '2026-11-21T01:02:03.456Z',
  }
  expect(ticketText({ issue, event, address: 'https://s.test/i' })).toBe(`\
**SHOP-12: TypeError: x is \\[undefined\\](http://evil.test) \\# heading**

- Seen: 42 times, 7 users, from 2026-11-20T08:15:00.000Z to 2026-11-21T01:02:03.456Z
- Level: error
- Release: shop@1.4.1
- Event: 9ec79c33ec9942ab8353589fcb2e04dc, 2026-11-21T01:02:03.412Z
- https://s.test/i

\`\`\`\`
TypeError: \`\`\` ends the fence
    at pay (pay.ts:7)
\`\`\`\`
`)
})
