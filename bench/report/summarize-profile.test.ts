import { describe, expect, test } from 'vitest'
import { CpuProfile, summarizeProfiles } from './summarize-profile.ts'

function profile(samples: number[], timeDeltas: number[]): CpuProfile {
  const frame = (id: number, functionName: string, url: string, lineNumber: number) => ({
    id,
    callFrame: { functionName, url, lineNumber },
  })
  return CpuProfile.parse({
    nodes: [
      frame(1, '(root)', '', -1),
      frame(2, '(idle)', '', -1),
      frame(3, 'parse', 'file:///srv/sluice/dist/ingest/parse.js', 9),
      frame(4, 'parse', 'file:///srv/sluice/dist/ingest/parse.js', 9),
      frame(5, '', 'file:///srv/sluice/node_modules/pg/lib/client.js', 0),
      frame(6, '(garbage collector)', '', -1),
    ],
    samples,
    timeDeltas,
  })
}

const options = { linesMax: 10, root: '/srv/sluice' }

describe('profile summary', () => {
  test('self time is summed over call sites, and idle time is excluded', () => {
    const summary = summarizeProfiles(
      [profile([3, 4, 2, 5, 6], [0, 100, 200, 1000, 50, 25])],
      options,
    )
    expect(summary.idleUs).toBe(1000)
    expect(summary.busyUs).toBe(375)
    expect(summary.lines).toEqual([
      { name: 'parse dist/ingest/parse.js:10', selfUs: 300, share: 300 / 375 },
      { name: '(anonymous) pg/lib/client.js:1', selfUs: 50, share: 50 / 375 },
      { name: '(garbage collector)', selfUs: 25, share: 25 / 375 },
    ])
  })

  test('the profiles of several threads are summed', () => {
    const one = profile([3, 3], [0, 10, 10])
    expect(summarizeProfiles([one, one], options).lines[0]?.selfUs).toBe(40)
  })

  test('native functions are listed by caller', () => {
    const callFrame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 0 })
    const tree = CpuProfile.parse({
      nodes: [
        { id: 1, callFrame: callFrame('(root)', ''), children: [2, 4] },
        { id: 2, callFrame: callFrame('respond', 'file:///srv/sluice/dist/a.js'), children: [3] },
        { id: 3, callFrame: callFrame('cork', ''), children: [5] },
        { id: 4, callFrame: callFrame('(program)', '') },
        { id: 5, callFrame: callFrame('end', '') },
      ],
      samples: [3, 4, 5],
      timeDeltas: [0, 4, 2, 1],
    })
    expect(summarizeProfiles([tree], options).lines.map((line) => line.name)).toEqual([
      'cork, native, in respond dist/a.js:1',
      '(program)',
      'end, native, in respond dist/a.js:1',
    ])
  })

  test('an empty profile has an empty summary', () => {
    expect(summarizeProfiles([profile([], [])], options)).toEqual({
      busyUs: 0,
      idleUs: 0,
      lines: [],
    })
  })

  test('the number of lines is limited', () => {
    const summary = summarizeProfiles([profile([3, 5, 6], [0, 3, 2, 1])], {
      ...options,
      linesMax: 1,
    })
    expect(summary.lines.map((line) => line.selfUs)).toEqual([3])
  })
})
