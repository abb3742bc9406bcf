/** The threads run a fake digest whose behaviour depends on its partition number. */
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transferableSymbol, valueSymbol } from 'piscina'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { RecordKind } from '#schemas/bus/frame.ts'
import { FrameWriter } from '#schemas/bus/frame-writer.ts'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { DigestPool } from './digest-pool.ts'
import { digestRange } from './digest-range.ts'
import digestTask from './digest-thread.ts'
import type { RangeInput, RangeOutput } from './range.ts'

const behaves = { well: 0, endlessly: 1, exits: 2, eatsMemory: 3, throws: 4, slowly: 5 } as const
const standIn = `
  import { readlinkSync } from 'node:fs'
  let threadId = 0
  try {
    threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {}
  export default (task) => {
    Atomics.store(task.place.threadIds, task.place.slot, task.input.generation === 2 ? 0 : threadId)
    const kept = []
    switch (task.input.partition) {
      case 1: for (;;);
      case 2: process.exit(1)
      case 3: for (;;) kept.push(new Array(100_000).fill(kept.length))
      case 4: throw new Error('what the digest says')
      case 5: Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    }
    const frames = task.frames.map(({ streamSeq, bytes }) => {
      if (bytes.buffer !== task.packed.buffer) throw new Error('a copy')
      return { streamSeq, byteLength: bytes.length }
    })
    return { bytes: Buffer.from(task.packed).toString(), frames, input: task.input }
  }
`
let folder: string
let filename: string
let pool: DigestPool

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-pool-'))
  const path = join(folder, 'stand-in.mjs')
  await writeFile(path, standIn)
  filename = pathToFileURL(path).href
})

// A thread that replaces one that died may still load the file when the last test has ended.
afterAll(() => {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
})

beforeEach(() => {
  pool = new DigestPool({ threadCount: 1, threadHeapMb: 48, filename })
})

afterEach(() => pool.close())

function inputOf(behavior: keyof typeof behaves): RangeInput {
  const frames = ['one', 'three'].map((text, index) => ({
    streamSeq: index + 7,
    bytes: Buffer.from(text),
  }))
  return { partition: behaves[behavior], generation: 1, retentionDays: 9, setAside: [3], frames }
}

test('frames are transferred as one buffer, with all other input unchanged', async () => {
  const { frames: _, ...rest } = inputOf('well')
  expect(await pool.digest(inputOf('well'), 10_000)).toEqual({
    bytes: 'onethree',
    frames: [
      { streamSeq: 7, byteLength: 3 },
      { streamSeq: 8, byteLength: 5 },
    ],
    input: rest,
  })
})

// biome-ignore format: the columns are the point
test.each([
  ['does not end       ', 'endlessly',  500,    'not digested within 500 ms of CPU time'],
  ['ends its thread    ', 'exits',      10_000, 'exited with code'],
  ['takes all of memory', 'eatsMemory', 10_000, 'memory limit'],
  ['throws             ', 'throws',     10_000, 'what the digest says'],
] as const)('a range that %s fails, and the next one gets a thread', async (_name, behavior, timeoutMs, message) => {
  await expect(pool.digest(inputOf(behavior), timeoutMs)).rejects.toThrow(message)
  expect(await pool.digest(inputOf('well'), 10_000)).toMatchObject({ bytes: 'onethree' })
})

test('the time that a range waits for a thread does not count', async () => {
  await pool.digest(inputOf('well'), 10_000)
  const ranges = [1, 2, 3, 4].map(() => pool.digest(inputOf('slowly'), 900))
  expect(await Promise.all(ranges)).toHaveLength(4)
})

test('the time in which its thread does not run does not count', async () => {
  await pool.digest(inputOf('well'), 10_000)
  expect(await pool.digest(inputOf('slowly'), 30)).toBeDefined()
})

test('an endless range is also aborted if the system does not report the CPU time of threads', async () => {
  const unknown = { ...inputOf('endlessly'), generation: 2 }
  await expect(pool.digest(unknown, 300)).rejects.toThrow('within 300 ms of CPU time')
})

/** What a thread makes; the pool above has a stand-in. */
const records: readonly (readonly [RecordKind, unknown])[] = [
  ['event', { exception: { values: [{ type: 'Boom', value: 'no' }] } }],
  ['event', 'set aside'],
  ['feedback', { contexts: { feedback: { message: 'It is slow.', name: 'Ada' } } }],
  ['session', { sid: 'a'.repeat(32), status: 'exited', attrs: { release: 'a@1' } }],
  ['check_in', { check_in_id: 'b'.repeat(32), monitor_slug: 'job', status: 'ok' }],
  ['client_report', { discarded_events: [{ reason: 'x', category: 'error', quantity: 1 }] }],
]

function frameOf(all: typeof records): Uint8Array {
  const writer = new FrameWriter(0, { take: () => Buffer.alloc(4096) })
  for (const [at, [kind, payload]] of all.entries()) {
    writer.append({
      ...{ kind, projectId: 1 as ProjectId, dsnKeyNo: 7 as DsnKeyNo, headerJson: '' },
      receivedAtMs: Date.UTC(2026, 10, 20, 12, 30),
      recordId: Buffer.alloc(16, at + 1),
      payload: Buffer.from(JSON.stringify(payload)),
    })
  }
  return writer.finish({ instanceId: `${'0'.repeat(31)}1`, partition: 0, counter: 1 })
}

/** What Piscina posts, after it has read what is transferred. */
function posted(output: RangeOutput): RangeOutput {
  const moved = output as unknown as Record<symbol, unknown>
  const transfer = moved[transferableSymbol] as ArrayBuffer[]
  return structuredClone(moved[valueSymbol] as RangeOutput, { transfer })
}

test('a thread answers with all that the digest makes, and keeps no memory of the frames', () => {
  const frames = [frameOf(records), Buffer.from('no frame'), frameOf(records.slice(0, 1))]
  const input = { partition: 0, generation: 1, retentionDays: 90, setAside: [1] }
  const expected = digestRange({
    ...input,
    frames: frames.map((bytes, at) => ({ streamSeq: at + 1, bytes })),
  })
  expect(expected.deadLetters.length).toBeGreaterThan(1)
  const packed = new Uint8Array(Buffer.concat(frames))
  const output = digestTask({
    place: { threadIds: new Int32Array(new SharedArrayBuffer(4)), slot: 0 },
    ...{ input, packed, places: undefined },
    frames: frames.map((frame, at) => {
      const start = frames.slice(0, at).reduce((sum, { length }) => sum + length, 0)
      return { streamSeq: at + 1, bytes: packed.subarray(start, start + frame.length) }
    }),
  })
  expect(packed.byteLength).toBe(0)
  const plain = ({ deadLetters, ...rest }: RangeOutput) => ({
    ...rest,
    deadLetters: deadLetters.map(({ bytes, ...deadLetter }) => ({
      ...deadLetter,
      bytes: [...bytes],
    })),
  })
  expect(plain(posted(output))).toEqual(plain(expected))

  // In memory that threads share, of which nothing is changed and nothing stays in use.
  const shared = frames.map((frame) => {
    const bytes = Buffer.from(new SharedArrayBuffer(frame.length + 7), 3, frame.length)
    bytes.set(frame)
    return bytes
  })
  const ofShared = digestTask({
    place: { threadIds: new Int32Array(new SharedArrayBuffer(4)), slot: 0 },
    ...{ input, packed: new Uint8Array(0), places: undefined },
    frames: shared.map((bytes, at) => ({ streamSeq: at + 1, bytes })),
  })
  const sent = posted(ofShared)
  expect(shared.map((bytes, at) => bytes.equals(frames[at]!))).not.toContain(false)
  for (const bytes of shared) bytes.fill(0)
  expect(plain(sent)).toEqual(plain(expected))
})
