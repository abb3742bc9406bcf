import { expect, test } from 'vitest'
import { SharedReads } from './shared-reads.ts'

/** A store that answers when `answer` is called, and counts its queries. */
function slowStore() {
  const waiting: { answer: (text: string) => void; fail: (error: Error) => void }[] = []
  const ask = () =>
    new Promise<string>((answer, fail) => {
      waiting.push({ answer, fail })
    })
  return { waiting, ask }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a request during two queries shares the next one, which starts after one of them ends', async () => {
  const { waiting, ask } = slowStore()
  const reads = new SharedReads<string>()
  const first = reads.read('top', ask)
  const second = reads.read('top', ask)
  const late = [reads.read('top', ask), reads.read('top', ask), reads.read('top', ask)]
  expect(waiting).toHaveLength(2)
  waiting[1]!.answer('newer')
  expect(await second).toBe('newer')
  await settled()
  expect(waiting).toHaveLength(3)
  waiting[2]!.answer('newest')
  expect(await Promise.all(late)).toEqual(['newest', 'newest', 'newest'])
  waiting[0]!.answer('old')
  expect(await first).toBe('old')
  await settled()
  void reads.read('top', ask)
  expect(waiting).toHaveLength(4)
})

test('another query does not wait, and an error reaches only the requests that share the query', async () => {
  const { waiting, ask } = slowStore()
  const reads = new SharedReads<string>()
  const first = reads.read('top', ask)
  const second = reads.read('top', ask)
  const shared = [reads.read('top', ask), reads.read('top', ask)]
  const other = reads.read('new', ask)
  expect(waiting).toHaveLength(3)
  waiting[0]!.fail(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await settled()
  waiting[3]!.fail(new Error('still away'))
  for (const one of shared) await expect(one).rejects.toThrow('still away')
  waiting[1]!.answer('back')
  waiting[2]!.answer('other')
  expect([await second, await other]).toEqual(['back', 'other'])
})
