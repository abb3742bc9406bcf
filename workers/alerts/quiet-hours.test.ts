import { describe, expect, test } from 'vitest'
import type { QuietHours } from '#schemas/rest/alerts/alert.ts'
import { quietUntil } from './quiet-hours.ts'

const night = (fields: Partial<QuietHours> = {}): QuietHours => ({
  from: '22:00',
  to: '07:00',
  timezone: 'UTC',
  ...fields,
})
const berlin = night({ timezone: 'Europe/Berlin' })
/** Monday. */
const monday = '2026-11-16'

// biome-ignore format: the columns are the point
test.each([
  ['before they begin           ', night(), `${monday}T21:59:59Z`, undefined],
  ['when they begin             ', night(), `${monday}T22:00:00Z`, '2026-11-17T07:00:00Z'],
  ['after midnight              ', night(), `${monday}T03:00:00Z`, `${monday}T07:00:00Z`],
  ['when they end               ', night(), `${monday}T07:00:00Z`, undefined],
  ['at noon, within a day       ', night({ from: '11:30', to: '13:00' }), `${monday}T12:00:00Z`, `${monday}T13:00:00Z`],
  ['the same time twice         ', night({ from: '07:00' }), `${monday}T12:00:00Z`, undefined],
  ['in another zone             ', night({ timezone: 'Asia/Kathmandu' }), `${monday}T16:15:00Z`, '2026-11-17T01:15:00Z'],
  ['a day that they begin on    ', night({ days: [1] }), '2026-11-17T06:00:00Z', '2026-11-17T07:00:00Z'],
  ['a day that they do not begin on', night({ days: [1] }), '2026-11-17T23:00:00Z', undefined],
  ['a zone that does not exist  ', night({ timezone: 'Mars/Olympus' }), `${monday}T23:00:00Z`, undefined],
] as const)('%s', (_name, quiet, now, until) => {
  const found = quietUntil(quiet, Date.parse(now))
  expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(
    until === undefined ? undefined : new Date(until).toISOString(),
  )
})

describe('in a zone whose clocks change', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['forward: the night is an hour shorter          ', berlin, '2026-03-28T21:00:00Z', '2026-03-29T05:00:00Z'],
    ['forward: an end that the clock skips           ', night({ timezone: 'Europe/Berlin', to: '02:30' }), '2026-03-29T00:30:00Z', '2026-03-29T01:00:00Z'],
    ['forward: a beginning that the clock skips      ', night({ timezone: 'Europe/Berlin', from: '02:30', to: '04:00' }), '2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z'],
    ['back: the night is an hour longer              ', berlin, '2026-10-24T20:00:00Z', '2026-10-25T06:00:00Z'],
    ['back: an end that comes twice is the first one ', night({ timezone: 'Europe/Berlin', to: '02:30' }), '2026-10-25T00:00:00Z', '2026-10-25T00:30:00Z'],
    ['back: the second one is not quiet any more     ', night({ timezone: 'Europe/Berlin', to: '02:30' }), '2026-10-25T01:00:00Z', undefined],
  ] as const)('%s', (_name, quiet, now, until) => {
    const found = quietUntil(quiet, Date.parse(now))
    expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(
      until === undefined ? undefined : new Date(until).toISOString(),
    )
  })

  test('every moment of a year is quiet from 22:00 to 07:00 by the clock of the wall', () => {
    const hour = new Intl.DateTimeFormat('en-US', {
      timeZone: 'Europe/Berlin',
      hour: 'numeric',
      hourCycle: 'h23',
    })
    for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2027, 0, 1); ms += 1_800_000) {
      const local = Number(hour.format(ms))
      expect(quietUntil(berlin, ms) !== undefined, new Date(ms).toISOString()).toBe(
        local >= 22 || local < 7,
      )
    }
  })
})
