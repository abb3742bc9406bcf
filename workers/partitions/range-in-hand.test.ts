import { beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { firstLayout } from '#schemas/bus/layout.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { eventFrame, type TestEvent } from '../../test/fixtures/workers/event-frame.ts'
import { hashOf, outputOf } from '../../test/fixtures/workers/range-output.ts'
import { IdWindow } from '../dedup/id-window.ts'
import { digestRange } from '../digest/digest-range.ts'
import type { RangeInput } from '../digest/range.ts'
import { FrameProgress } from './frame-progress.ts'
import { type Cursor, DataRefusedError, type LogMessage, type RangePlan } from './ports.ts'
import { StoreFaultError } from './probe-stores.ts'
import { type DigestContext, RangeInHand } from './range-in-hand.ts'

const project = 5 as ProjectId
const instanceId = hashOf('instance')
const cursor: Cursor = { partition: 0, epoch: 1, generation: 3, committedSeq: 0, plannedSeq: 0 }
let samplers: (readonly [ProjectId, number])[] = []
let settings: (readonly [ProjectId, object])[] = []
let inputs: RangeInput[] = []

beforeEach(() => {
  samplers = []
  settings = []
  inputs = []
})

const ctx: DigestContext = {
  ranges: {
    readSettings: async (ids) => settings.filter(([id]) => ids.includes(id)),
    readSamplers: async (ids) => samplers.filter(([id]) => ids.includes(id)),
    readBursts: async () => [],
    readIssueRules: async () => [],
    readAlertRules: async () => [],
    itemIdsAmong: async (_, ids) => ids.map(() => false),
    rehearse: async () => {},
  },
  rows: {
    knownIds: { read: async () => {}, among: async (_, ids) => ids.map(() => false) },
    check: async () => {},
  },
  digest: async (input) => {
    inputs.push(input)
    return digestRange(input)
  },
  log: createLogger('test', 'silent'),
  retentionDays: 90,
  layout: firstLayout({ partitions: 4, streams: 1 }),
}

const place = () => ({
  cursor,
  window: new IdWindow(),
  stop: new AbortController().signal,
  isRehearsed: false,
  probe: async () => {},
})

function messageOf(counter: number, events: readonly Partial<TestEvent>[]): LogMessage {
  const named = events.map((event, index) => ({
    ...{ name: `${counter} ${index}`, projectId: project },
    ...event,
  }))
  return {
    streamSeq: counter + 1,
    bytes: eventFrame({ instanceId, partition: 0, counter }, named),
  }
}

const rangeOf = (messages: readonly LogMessage[], plan?: RangePlan) =>
  new RangeInHand(messages, new FrameProgress(), plan, 0)

describe('The weeks of a plan', () => {
  const monday = Date.UTC(2026, 10, 30)
  const secondOf = (ms: number) => ms / 1000

  // biome-ignore format: the columns are the point
  test.each([
    ['begin on Monday            ', [monday],                       [monday]],
    ['end with Sunday            ', [monday - 1],                   [monday - 7 * 86_400_000]],
    ['include every week         ', [monday + 1, monday - 1],       [monday - 7 * 86_400_000, monday]],
    ['of 1970 begin on a Thursday', [8 * 86_400_000],               [4 * 86_400_000]],
  ] as const)('%s', async (_name, times, want) => {
    const range = rangeOf([messageOf(0, times.map((receivedAtMs) => ({ receivedAtMs })))])
    await range.digest(ctx, place())
    expect(range.toPlan().settings.weeks).toEqual(want.map(secondOf))
  })
})

describe('The settings of a plan', () => {
  test('contain the samplers of projects that have events in the range, and of no others', async () => {
    samplers = [
      [project, 60],
      [6 as ProjectId, 10],
    ]
    const range = rangeOf([messageOf(0, [{}])])
    await range.digest(ctx, place())
    expect(range.toPlan().settings).toMatchObject({
      ...{ retentionDays: 90, partitionCount: 4, setAside: [] },
      issueEventsPerMinute: [[project, 60]],
    })
  })

  test('contain the settings of the projects in the range as they are stored', async () => {
    settings = [
      [project, { filters: { releases: ['x'] } }],
      [6 as ProjectId, { retention_days: 7 }],
    ]
    const range = rangeOf([messageOf(0, [{}])])
    await range.digest(ctx, place())
    expect(range.toPlan().settings.projectSettings).toEqual([settings[0]])
    expect(inputs[0]?.projectSettings).toEqual([settings[0]])
  })

  test('are used again with the same result, even if they were changed meanwhile', async () => {
    samplers = [[project, 60]]
    settings = [[project, { retention_days: 7 }]]
    const messages = [messageOf(0, [{}, {}])]
    const first = rangeOf(messages)
    await first.digest(ctx, place())
    samplers = []
    settings = []
    const again = rangeOf(messages, first.toPlan())
    expect(await again.digest({ ...ctx, retentionDays: 7 }, place())).not.toBeTypeOf('string')
    expect(inputs[1]).toEqual(inputs[0])
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a frame is missing        ', [messageOf(0, [{}])]],
    ['a frame differs           ', [messageOf(0, [{}]), messageOf(1, [{ type: 'Other' }])]],
    ['no frame is left          ', []],
  ] as const)('do not fit when %s', async (_name, left) => {
    const first = rangeOf([messageOf(0, [{}]), messageOf(1, [{}])])
    await first.digest(ctx, place())
    expect(await rangeOf(left, first.toPlan()).digest(ctx, place())).toBe('not_alike')
  })

  test('fit when only repeated frames are missing', async () => {
    const repeated = { ...messageOf(0, [{}]), streamSeq: 2 }
    const first = rangeOf([messageOf(0, [{}]), repeated])
    await first.digest(ctx, place())
    const again = rangeOf([messageOf(0, [{}])], { ...first.toPlan(), plannedSeq: 2 })
    expect(await again.digest(ctx, place())).not.toBeTypeOf('string')
  })

  test('do not fit when the outcome rows differ', async () => {
    const first = rangeOf([messageOf(0, [{}])])
    await first.digest(ctx, place())
    const again = rangeOf([messageOf(0, [{}])], first.toPlan())
    const other = async () => outputOf({ eventRows: digestRange(inputs[0]!).eventRows })
    expect(await again.digest({ ...ctx, digest: other }, place())).toBe('not_alike')
  })
})

test('frames that cannot be recorded are not digested and are counted', async () => {
  const full = new FrameProgress([
    {
      instanceId,
      contiguous: 0,
      ahead: Array.from({ length: 2 * 4096 }, (_, at) => 10 + 2 * at - (at % 2)),
    },
  ])
  const beyond = 10 + 2 * 2 * 4096 + 10
  const range = new RangeInHand([messageOf(beyond, [{}]), messageOf(0, [{}])], full, undefined, 0)
  await range.digest(ctx, place())
  expect(range.refusedCount).toBe(1)
  expect(inputs[0]?.frames).toHaveLength(1)
  expect(range.progress.changes()).toMatchObject([{ contiguous: 1 }])
})

// biome-ignore format: the columns are the point
test.each([
  ['of this installation is digested         ', 7, 7, true],
  ['of another installation is skipped       ', 8, 7, false],
  ['of an earlier version is digested        ', 0, 7, true],
  ['of any is digested where marks are unused', 8, 0, true],
] as const)('a frame %s', async (_name, mark, ownMark, isDigested) => {
  const marked = {
    streamSeq: 1,
    bytes: eventFrame({ instanceId, partition: 0, counter: 0 }, [{ name: 'a', projectId: project }], mark),
  }
  const range = new RangeInHand([marked, messageOf(1, [{}])], new FrameProgress(), undefined, 0, ownMark)
  await range.digest(ctx, place())
  expect(inputs[0]?.frames.map(({ streamSeq }) => streamSeq)).toEqual(isDigested ? [1, 2] : [2])
  expect(range.foreign).toEqual(isDigested ? [] : [{ streamSeq: 1, instanceId: instanceId, installationMark: 8, recordCount: 1 }])
  // Its counter is not recorded, so that ingest does not take it for committed; the range still
  // ends after it.
  expect(range.progress.changes()).toMatchObject([{ contiguous: isDigested ? 2 : 0 }])
  expect(range.toPlan().plannedSeq).toBe(2)
})

describe('A frame whose records fail only together', () => {
  const failing = (fails: (attempt: number, tried: number) => boolean): DigestContext => {
    let attempts = 0
    return {
      ...ctx,
      digest: async (input) => {
        attempts += 1
        if (fails(attempts, 2 - (input.setAside?.length ?? 0))) throw new Error('the thread died')
        return digestRange(input)
      },
    }
  }

  async function digestAtLast(context: DigestContext) {
    const range = rangeOf([messageOf(0, [{}, {}])])
    for (let attempt = 1; attempt < 100; attempt += 1) {
      const output = await range.digest(context, place()).catch(() => undefined)
      if (output !== undefined) return { output, setAside: range.toPlan().settings.setAside }
    }
    throw new Error('the range was never digested')
  }

  test('keeps all of them when the threads ended for another reason', async () => {
    const { setAside } = await digestAtLast(failing((attempt) => attempt <= 3))
    expect(setAside).toEqual([])
  })

  test('is finally given up, so that it does not block the partition', async () => {
    const { output, setAside } = await digestAtLast(failing((_, tried) => tried === 2))
    expect(setAside).toEqual([0, 1])
    expect(output).toMatchObject({ eventCount: 0, deadLetters: [{}, {}] })
  })
})

test('a stop of the partition ends the search for poison records', async () => {
  const stop = new AbortController()
  let attempts = 0
  const range = rangeOf([
    messageOf(
      0,
      Array.from({ length: 64 }, () => ({})),
    ),
  ])
  const failing: DigestContext = {
    ...ctx,
    digest: async () => {
      attempts += 1
      if (attempts === 5) stop.abort()
      throw new Error('no thread survives')
    },
  }
  const digest = () => range.digest(failing, { ...place(), stop: stop.signal })
  for (let round = 0; round < 3; round += 1) await expect(digest()).rejects.toThrow()
  expect(attempts).toBe(5)
})

test('no record is set aside when a store breaks during the search for a refused record', async () => {
  const range = rangeOf([messageOf(0, [{}, {}, {}])])
  let isBroken = false
  const refusing: DigestContext = {
    ...ctx,
    ranges: {
      ...ctx.ranges,
      rehearse: async ({ output }) => {
        // Two records together are refused; while the store is broken, every record is.
        if (output.eventCount > (isBroken ? 0 : 1)) throw new DataRefusedError('no')
      },
    },
  }
  let probes = 0
  const probe = async () => {
    probes += 1
    if (isBroken) throw new StoreFaultError('a store refuses every record')
    // The first probe comes before the search.
    isBroken = true
  }
  const digest = () => range.digest(refusing, { ...place(), isRehearsed: true, probe })
  for (let round = 0; round < 2; round += 1)
    await expect(digest()).rejects.toThrow(DataRefusedError)
  await expect(digest()).rejects.toThrow(StoreFaultError)
  expect(probes).toBe(2)
  await expect(range.digest(ctx, { ...place(), isRehearsed: true, probe })).resolves.toMatchObject({
    eventCount: 3,
    deadLetters: [],
  })
})
