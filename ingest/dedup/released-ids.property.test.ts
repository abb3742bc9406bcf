import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { generationMs, ReleasedIds } from './released-ids.ts'

/** The expected content of the window, as sets of text. */
class Model {
  young = new Set<string>()
  old = new Set<string>()
  begunAtMs = 0
  readonly idsMax: number

  constructor(idsMax: number) {
    this.idsMax = idsMax
  }

  add(id: string, nowMs: number): void {
    if (this.young.size === this.idsMax) this.turn(nowMs)
    this.young.add(id)
  }

  tick(nowMs: number): void {
    if (this.begunAtMs + generationMs <= nowMs) this.turn(nowMs)
  }

  turn(nowMs: number): void {
    this.old = this.young
    this.young = new Set()
    this.begunAtMs = nowMs
  }
}

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('add'),
      id: fc.nat(60),
      project: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.nat(generationMs) }) },
)

test('the window contains the same ids as a pair of sets, for any additions and times', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200, size: 'max' }),
      fc.integer({ min: 1, max: 40 }),
      (steps, idsMax) => {
        const time = { ms: 0 }
        const ids = new ReleasedIds({ monotonicMs: () => time.ms, idsPerGenerationMax: idsMax })
        const model = new Model(idsMax)
        for (const taken of steps) {
          if ('ms' in taken) {
            time.ms += taken.ms
            ids.tick()
            model.tick(time.ms)
          } else {
            const noted: number[] = []
            ids.has(taken.project as ProjectId, bytesOf(taken.id))
            ids.note(noted)
            ids.add(noted)
            model.add(`${taken.project} ${taken.id}`, time.ms)
          }
        }
        for (let project = 1; project <= 3; project += 1) {
          for (let id = 0; id <= 60; id += 1) {
            const name = `${project} ${id}`
            const wanted = model.young.has(name) || model.old.has(name)
            expect([name, ids.has(project as ProjectId, bytesOf(id))]).toEqual([name, wanted])
          }
        }
      },
    ),
    { seed: 20261121, numRuns: 200 },
  )
})

function bytesOf(id: number): Uint8Array {
  const bytes = new Uint8Array(16)
  // Ids that differ in one byte, at any position.
  bytes[id % 16] = 1 + Math.floor(id / 16)
  return bytes
}
