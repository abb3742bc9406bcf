import { expect, test } from 'vitest'
import { Lane } from './lane.ts'

function setUp() {
  const lane = new Lane(1, 2)
  const begun: string[] = []
  const finish = new Map<string, () => void>()
  const run = (name: string, isOver = () => false) =>
    lane.run(() => {
      begun.push(name)
      return new Promise<string>((resolve) => finish.set(name, () => resolve(name)))
    }, isOver)
  return { begun, run, end: (name: string) => finish.get(name)?.() }
}

test('tasks run in the order they were added, and the queue is bounded', async () => {
  const { begun, run, end } = setUp()
  const results = [run('a'), run('b'), run('c'), run('d')]
  expect(await results[3]).toBe('overloaded')
  for (const name of ['a', 'b', 'c']) {
    await expect.poll(() => begun.at(-1)).toBe(name)
    end(name)
  }
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'overloaded'])
})

test('a task whose result is not needed is not started, and its slot goes to the next', async () => {
  const { begun, run, end } = setUp()
  let isGone = false
  const results = [run('a'), run('b', () => isGone), run('c')]
  isGone = true
  end('a')
  await expect.poll(() => begun).toEqual(['a', 'c'])
  end('c')
  expect(await Promise.all(results)).toEqual(['a', 'overloaded', 'c'])
})
