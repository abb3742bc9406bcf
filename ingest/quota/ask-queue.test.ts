import { beforeEach, expect, test } from 'vitest'
import { type Asker, AskQueue } from './ask-queue.ts'

interface Call {
  readonly requests: readonly string[]
  readonly answer: (answers: string[]) => void
  readonly fail: () => void
}

let calls: Call[]
let turns: boolean[]
let elapsedMs: number
let queue: AskQueue<string, string>

beforeEach(() => {
  calls = []
  turns = []
  elapsedMs = 0
  queue = new AskQueue({
    clock: { nowMs: () => elapsedMs, monotonicMs: () => elapsedMs },
    send: (requests) =>
      new Promise((resolve, reject) => {
        calls.push({ requests, answer: resolve, fail: () => reject(new Error('away')) })
      }),
    onTurn: (isAway) => turns.push(isAway),
  })
})

function asker(name: string): Asker<string, string> & { answers: string[] } {
  const answers: string[] = []
  return { answers, request: () => name, receive: (answer) => answers.push(answer) }
}

async function turn(): Promise<void> {
  for (let hop = 0; hop < 5; hop += 1) await Promise.resolve()
}

test('all requests of one turn share a statement, and each gets its own answer', async () => {
  const askers = ['a', 'b', 'c'].map(asker)
  for (const each of askers) queue.add(each)
  await turn()
  expect(calls.map(({ requests }) => requests)).toEqual([['a', 'b', 'c']])
  calls[0]!.answer(['A', 'B', 'C'])
  await turn()
  expect(askers.map(({ answers }) => answers)).toEqual([['A'], ['B'], ['C']])
})

test('two statements are in flight at once; later requests are sent with the next one', async () => {
  for (const name of ['a', 'b', 'c', 'd']) {
    queue.add(asker(name))
    await turn()
  }
  expect(calls.map(({ requests }) => requests)).toEqual([['a'], ['b']])
  calls[0]!.answer(['A'])
  await turn()
  expect(calls[2]!.requests).toEqual(['c', 'd'])
})

test('a statement holds at most five hundred requests', async () => {
  for (let count = 0; count < 1_200; count += 1) queue.add(asker(String(count)))
  await turn()
  expect(calls.map(({ requests }) => requests.length)).toEqual([500, 500])
})

test('a failure is reported once, and the request is repeated a second later', async () => {
  const one = asker('a')
  queue.add(one)
  await turn()
  calls[0]!.fail()
  await turn()
  expect(queue.isAway).toBe(true)
  queue.add(asker('b'))
  elapsedMs = 999
  queue.tick()
  await turn()
  expect(calls).toHaveLength(1)
  elapsedMs = 1_000
  queue.tick()
  expect(calls[1]!.requests).toEqual(['a', 'b'])
  calls[1]!.answer(['A', 'B'])
  await turn()
  expect(one.answers).toEqual(['A'])
  expect(turns).toEqual([true, false])
})

test('a store without an answer for two seconds counts as unavailable, and a late answer still counts', async () => {
  const one = asker('a')
  queue.add(one)
  await turn()
  elapsedMs = 1_999
  queue.tick()
  expect(queue.isAway).toBe(false)
  elapsedMs = 2_000
  queue.tick()
  queue.tick()
  expect(turns).toEqual([true])
  calls[0]!.answer(['A'])
  await turn()
  expect(one.answers).toEqual(['A'])
  expect(queue.isAway).toBe(false)
})

test('closing waits for batches in flight and sends nothing more', async () => {
  queue.add(asker('a'))
  await turn()
  queue.add(asker('b'))
  let isClosed = false
  const closed = queue.close().then(() => {
    isClosed = true
  })
  await turn()
  expect(isClosed).toBe(false)
  calls[0]!.answer(['A'])
  await closed
  queue.tick()
  expect(calls).toHaveLength(1)
})
