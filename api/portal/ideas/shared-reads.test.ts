import { expect, test } from 'vitest'
import { SharedReads } from './shared-reads.ts'

/** A store that answers when it is told to, with the number of times it was asked. */
function slowStore() {
  const waiting: { answer: (text: string) => void; fail: (error: Error) => void }[] = []
  const ask = () =>
    new Promise<string>((answer, fail) => {
      waiting.push({ answer, fail })
    })
  return { waiting, ask }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('who comes while an answer is being made shares the next one, which begins after it', async () => {
  const { waiting, ask } = slowStore()
  const reads = new SharedReads<string>()
  const first = reads.read('top', ask)
  const late = [reads.read('top', ask), reads.read('top', ask), reads.read('top', ask)]
  expect(waiting).toHaveLength(1)
  waiting[0]!.answer('old')
  expect(await first).toBe('old')
  await settled()
  expect(waiting).toHaveLength(2)
  waiting[1]!.answer('new')
  expect(await Promise.all(late)).toEqual(['new', 'new', 'new'])
  void reads.read('top', ask)
  expect(waiting).toHaveLength(3)
})

test('another question does not wait, and an error is told to those who share it alone', async () => {
  const { waiting, ask } = slowStore()
  const reads = new SharedReads<string>()
  const first = reads.read('top', ask)
  const second = reads.read('top', ask)
  const other = reads.read('new', ask)
  expect(waiting).toHaveLength(2)
  waiting[0]!.fail(new Error('away'))
  await expect(first).rejects.toThrow('away')
  await settled()
  waiting[2]!.answer('back')
  waiting[1]!.answer('other')
  expect([await second, await other]).toEqual(['back', 'other'])
})
