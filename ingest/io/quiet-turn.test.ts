import { expect, test } from 'vitest'
import { quietTurn } from './quiet-turn.ts'

const busyMs = 2

/** Makes turns of the event loop busy until `isOver` says so. */
function keepBusy(isOver: () => boolean): { turns: number } {
  const done = { turns: 0 }
  const turn = () => {
    const untilMs = performance.now() + busyMs
    while (performance.now() < untilMs);
    done.turns += 1
    if (!isOver()) setImmediate(turn)
  }
  setImmediate(turn)
  return done
}

test('waits for the end of the turns that have something to do', async () => {
  const done = keepBusy(() => done.turns === 20)
  await quietTurn(600_000)
  expect(done.turns).toBe(20)
})

test('does not wait longer than it may', async () => {
  let isOver = false
  const done = keepBusy(() => isOver)
  await quietTurn(10)
  isOver = true
  expect(done.turns).toBeGreaterThan(0)
})
