/** The threads run a stand-in whose behaviour depends on the task's kind. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ComposePool, type ComposePoolOptions } from './compose-pool.ts'
import type { ComposeTask } from './compose-task.ts'

const standIn = `
  const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  export default ({ kind }) => {
    const kept = []
    if (kind === 'endless') for (;;);
    if (kind === 'greedy') for (;;) kept.push(new Array(100_000).fill(kept.length))
    if (kind === 'throws') throw new Error('a defect')
    if (kind === 'sleeps') wait(60_000)
    if (kind === 'slow') wait(300)
    return { kind: 'composed', result: kind }
  }
`
let folder: string
let pool: ComposePool

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-compose-'))
  await writeFile(join(folder, 'stand-in.mjs'), standIn)
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => pool.close())

function start(options: ComposePoolOptions = {}) {
  const filename = pathToFileURL(join(folder, 'stand-in.mjs')).href
  pool = new ComposePool({ filename, ...options })
}

const run = (kind: string, owner = 'one') => pool.run({ kind } as unknown as ComposeTask, owner)
const composed = (kind: string) => ({ kind: 'composed', result: kind })

test('a task that exceeds its CPU time is refused, and the next one gets another thread', async () => {
  start({ cpuMsMax: 300 })
  await expect(run('endless')).rejects.toMatchObject({ code: 'too_complex' })
  expect(await run('fine')).toEqual(composed('fine'))
})

test('a task that takes long without using the CPU is not too complex', async () => {
  start({ cpuMsMax: 60_000, wallMsMax: 300 })
  await expect(run('sleeps')).rejects.toMatchObject({ code: 'busy' })
  expect(await run('fine')).toEqual(composed('fine'))
})

test('a task that exceeds its memory is refused, and the process continues', async () => {
  start({ heapMb: 48, cpuMsMax: 60_000 })
  await expect(run('greedy')).rejects.toMatchObject({ code: 'too_complex' })
  expect(await run('fine')).toEqual(composed('fine'))
})

test('a defect is thrown, not refused', async () => {
  start()
  await expect(run('throws')).rejects.toThrow('a defect')
})

test('the slow tasks of one owner leave a thread for the others', async () => {
  start()
  const order: string[] = []
  const note = (name: string) => () => void order.push(name)
  const slow = ['a', 'b', 'c'].map((name) => run('slow').then(note(name)))
  await Promise.all([...slow, run('fine', 'two').then(note('other'))])
  expect(order).toEqual(['other', 'a', 'b', 'c'])
})

test('a full queue and a long wait are answered as busy', async () => {
  start({ waitMsMax: 200 })
  const waiting = Array.from({ length: 42 }, () => run('slow').catch(({ code }) => code))
  const answers = await Promise.all(waiting)
  expect(answers[0]).toEqual(composed('slow'))
  expect(answers.at(-1)).toBe('busy')
})
