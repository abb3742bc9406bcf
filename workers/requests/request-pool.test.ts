/** The thread runs a stand-in whose behaviour depends on the message. */
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { waitUntil } from '../../test/fixtures/processes/wait-until.ts'
import { RequestPool, type RequestPoolOptions } from './request-pool.ts'

const standIn = `
  export default ({ message }) => {
    const text = Buffer.from(message).toString()
    if (text === 'endlessly') for (;;);
    if (text === 'exits') process.exit(1)
    if (text === 'throws') throw new Error('a defect')
    if (text === 'eats memory') { const kept = []; for (;;) kept.push(new Array(100_000).fill(kept.length)) }
    if (text === 'slowly') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    return Buffer.from('did ' + text)
  }
`
let folder: string
let filename: string
let pool: RequestPool | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-requests-'))
  const path = join(folder, 'stand-in.mjs')
  await writeFile(path, standIn)
  filename = pathToFileURL(path).href
})
afterEach(() => pool?.close())
// A thread that replaces one that died may still load the file when the last test has ended.
afterAll(() => {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
})

function start(options: RequestPoolOptions = {}): (text: string) => Promise<string> {
  const started = new RequestPool({ heapMb: 48, filename, ...options })
  pool = started
  // A view into a larger buffer, as from a connection.
  return async (text) => {
    const bytes = Buffer.from(`chunk ${text} chunk`).subarray(6, 6 + text.length)
    return Buffer.from((await started.run(bytes)) ?? '').toString()
  }
}

// biome-ignore format: the columns are the point
test.each([
  ['does not end',        'endlessly',   'too_slow', { runMsMax: 400 }],
  ['takes all of memory', 'eats memory', 'too_slow', { runMsMax: 20_000 }],
  ['ends its thread',     'exits',       'failed',   {}],
  ['throws',              'throws',      'failed',   {}],
] as const)('a request that %s costs only itself', async (_name, text, why, options) => {
  const ask = start(options)
  expect(JSON.parse(await ask(text))).toEqual({ kind: 'refused', why })
  // Starting the next thread may take a slow machine longer than the limit.
  await waitUntil('the next request is done', async () => (await ask('well')) === 'did well')
})

test('one request runs at a time, and a full queue refuses the next', async () => {
  const ask = start({ waitingMax: 2 })
  const order: string[] = []
  const noted = async (text: string) => order.push(await ask(text))
  // The first one leaves the queue at once.
  const first = noted('slowly')
  await Promise.resolve()
  await Promise.resolve()
  await Promise.all([first, noted('a'), noted('b'), noted('c')])
  expect(order).toEqual(['{"kind":"refused","why":"busy"}', 'did slowly', 'did a', 'did b'])
})
