/** Run by hand: `npx vitest bench --project unit workers/grouping`. */
import { bench, describe } from 'vitest'
import { buildEvent, type ExceptionInShort } from '../../test/fixtures/grouping/build-event.ts'
import type { NormalizedEvent } from '../normalize/event.ts'
import { groupEvent } from './group-v1.ts'

function exceptionOf(frameCount: number, seed: number): ExceptionInShort {
  return {
    type: `Error${seed}`,
    value: `order ${seed} of customer 8f14e45f-ceea-467f-a0e6-000000000001 failed`,
    frames: Array.from({ length: frameCount }, (_, index) => ({
      module: index % 3 === 0 ? 'django.core.handlers.base' : `shop.views.part${index}`,
      function: `handle_request_${index}`,
      filename: `shop/views/part${index}.py`,
      absPath: `/srv/app/shop/views/part${index}.py`,
      lineno: 100 + index,
      inApp: index % 3 !== 0,
    })),
  }
}

function browserEvent(): NormalizedEvent {
  return buildEvent({
    platform: 'javascript',
    exceptions: [
      {
        type: 'TypeError',
        value: 'x is undefined',
        frames: Array.from({ length: 10 }, (_, index) => ({
          function: `Object.render${index}`,
          filename: `https://shop.example.com/static/part-4f3c2a1b${index}.js`,
          absPath: `https://shop.example.com/static/part-4f3c2a1b${index}.js`,
          lineno: 1,
          colno: 40,
        })),
      },
    ],
  })
}

const small = buildEvent({ exceptions: [exceptionOf(10, 1)] })
const large = buildEvent({ exceptions: [1, 2, 3].map((seed) => exceptionOf(50, seed)) })
const browser = browserEvent()
const message = buildEvent({ message: { template: undefined, formatted: 'order 17 lost' } })

describe('groupEvent', () => {
  bench('1 exception, 10 frames', () => void groupEvent(small))
  bench('3 exceptions, 50 frames each', () => void groupEvent(large))
  bench('1 browser exception, 10 frames without in_app', () => void groupEvent(browser))
  bench('a message seen before', () => void groupEvent(message))
})
