import { expect, test } from 'vitest'
import { quotaLeaseUnitsMax } from '#schemas/limits.ts'
import { blockUnitsMin, sizeBlock } from './size-block.ts'

// biome-ignore format: the columns are the point
test.each([
  ['nothing is known                    ', undefined,                                            blockUnitsMin],
  ['a slow project gets the least       ', { units: 16,     charged: 2,      elapsedMs: 4_000 }, blockUnitsMin],
  ['a second of the recent rate         ', { units: 500,    charged: 400,    elapsedMs: 500 },   800],
  ['a falling rate is followed          ', { units: 20_000, charged: 300,    elapsedMs: 1_000 }, 300],
  ['a burst is followed in steps        ', { units: 16,     charged: 13,     elapsedMs: 1 },     128],
  ['a block that is used at once        ', { units: 16,     charged: 16,     elapsedMs: 0 },     128],
  ['at most the maximum of a lease      ', { units: 50_000, charged: 50_000, elapsedMs: 100 },   quotaLeaseUnitsMax],
] as const)('%s', (_name, before, units) => {
  expect(sizeBlock(before)).toBe(units)
})

// biome-ignore format: the columns are the point
test.each([
  ['nothing is known                    ', undefined,                                            1_000,  blockUnitsMin],
  ['thirty seconds of a slow project    ', { units: 16,     charged: 8,      elapsedMs: 4_000 }, 1_000,  60],
  ['no more than it is far from         ', { units: 16,     charged: 8,      elapsedMs: 4_000 }, 20,     20],
  ['up to 256 units                     ', { units: 100,    charged: 100,    elapsedMs: 2_000 }, 1_000,  256],
  ['then a second of the recent rate    ', { units: 500,    charged: 400,    elapsedMs: 500 },   1_000,  800],
  ['a burst is followed in steps        ', { units: 16,     charged: 13,     elapsedMs: 1 },     1_000,  128],
] as const)('far from the limit: %s', (_name, before, farUnits, units) => {
  expect(sizeBlock(before, farUnits)).toBe(units)
})
