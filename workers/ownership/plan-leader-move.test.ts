import { expect, test } from 'vitest'
import { planLeaderMove, type StreamLeadership } from './plan-leader-move.ts'

/** `a` leads, `b` and `c` follow: `abc`. */
const streams = (...all: readonly string[]): StreamLeadership[] =>
  all.map((nodes, at) => {
    const [leader = '', ...followers] = nodes
    return { stream: `INGEST-${at}`, leader, followers }
  })

// biome-ignore format: the columns are the point
test.each([
  ['a single stream is not moved                ', ['abc'],                      undefined],
  ['a server that is no cluster                 ', ['a', 'a'],                   undefined],
  ['each node leads one                         ', ['abc', 'bca', 'cab'],        undefined],
  ['two of four on one node are even            ', ['abc', 'abc', 'bca', 'cab'], undefined],
  ['all on one node: one goes                   ', ['abc', 'abc', 'abc'],        { stream: 'INGEST-0', to: 'b' }],
  ['a node that has just come back gets one     ', ['abc', 'abc', 'bac', 'bac'], { stream: 'INGEST-0', to: 'c' }],
  ['only a node that holds the stream can lead it', ['ab', 'ab', 'abc', 'bac'],  { stream: 'INGEST-2', to: 'c' }],
  ['an outdated node gets none                  ', ['ab', 'ab', 'ba', 'ba'],     undefined],
] as const)('%s', (_name, nodes, want) => {
  expect(planLeaderMove(streams(...nodes))).toEqual(want)
})

test('single moves end with an even distribution of the leaders', () => {
  let now = streams(...Array.from({ length: 10 }, () => 'abc'))
  for (let move = planLeaderMove(now); move !== undefined; move = planLeaderMove(now)) {
    const { stream, to } = move
    now = now.map((one) =>
      one.stream === stream
        ? { stream, leader: to, followers: ['a', 'b', 'c'].filter((node) => node !== to) }
        : one,
    )
  }
  const counts = ['a', 'b', 'c'].map((node) => now.filter(({ leader }) => leader === node).length)
  expect(counts.sort()).toEqual([3, 3, 4])
})
