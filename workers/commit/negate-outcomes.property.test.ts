import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DsnKeyNo, ProjectId } from '#schemas/ids.ts'
import { categories, outcomes } from '#schemas/outcome.ts'
import { putInSdks, takeOutSdks } from '#schemas/outcome-rows.ts'
import { storedText } from '#schemas/stored-text.ts'
import { written } from '../../test/fixtures/workers/written.ts'
import { type OutcomeKey, OutcomeTally } from '../digest/outcome-tally.ts'
import { RowBinaryWriter } from '../rows/row-binary.ts'
import { negateOutcomes } from './negate-outcomes.ts'

const counts = fc.array(
  fc.record({
    projectId: fc.integer({ min: 1, max: 2 ** 47 }).map((id) => id as ProjectId),
    dsnKeyNo: fc.nat().map((no) => no as DsnKeyNo),
    component: fc.string({ maxLength: 300, unit: 'grapheme' }),
    receivedAtMs: fc.integer({ min: 0, max: 4e12 }),
    outcome: fc.constantFrom(...outcomes),
    reason: fc.string({ maxLength: 100 }),
    category: fc.constantFrom(...categories),
    sdk: fc.string({ maxLength: 300, unit: 'grapheme' }),
    quantity: fc.integer({ min: 1, max: 2 ** 52 }),
  }),
  { maxLength: 20 },
)

test('only the quantities differ, and rows that are negated twice are the original ones', () => {
  fc.assert(
    fc.property(counts, (all) => {
      const rows: Buffer[] = []
      for (const { quantity, ...key } of all) {
        const tally = new OutcomeTally()
        tally.add(written<OutcomeKey>(key), quantity)
        const writer = new RowBinaryWriter(64)
        tally.write(writer)
        rows.push(Buffer.from(writer.finish()))
      }
      const bytes = Buffer.concat(rows)
      const parts = takeOutSdks(bytes)
      expect(Buffer.from(putInSdks(parts))).toEqual(bytes)
      expect(parts.sdks?.length ?? 0).toBe(all.some(({ sdk }) => storedText(sdk)) ? all.length : 0)
      const negated = negateOutcomes(bytes)
      let end = 0
      for (const [index, row] of rows.entries()) {
        end += row.length
        expect(negated.subarray(end - row.length, end - 8)).toEqual(row.subarray(0, -8))
        expect(negated.readBigInt64LE(end - 8)).toBe(-BigInt(all[index]!.quantity))
      }
      expect(negateOutcomes(negated)).toEqual(bytes)
    }),
    { seed: 4 },
  )
})

test('other bytes throw an assertion error', () => {
  expect(() => negateOutcomes(new Uint8Array(13))).toThrow()
  expect(() => takeOutSdks(new Uint8Array(13))).toThrow()
  expect(() => putInSdks({ rows: new Uint8Array(13) })).toThrow()
})
