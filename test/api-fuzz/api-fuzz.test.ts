/**
 * The fuzz of the API for as many rounds as take about a minute; `npm run test:api-fuzz` goes on
 * for as long as one likes.
 */
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../fixtures/api-fixture.ts'
import { fuzzApi } from './fuzz-api.ts'

const api = apiOfThisFile()
const seed = randomInt(2 ** 31)
const roundsMax = 30
const timeoutMs = 600_000

test(
  `no input makes the API fail or answer what it does not describe, with seed ${seed}`,
  async () => {
    const report = await fuzzApi({ api: api(), seed, goesOn: (rounds) => rounds < roundsMax })
    expect(report.findings).toEqual([])
    expect(report.operationCount).toBeGreaterThan(150)
    // The requests came past the gates: many are taken, and each kind of refusal is there.
    for (const status of ['200', '201', '204', '400', '401', '404', '409']) {
      expect([status, report.statuses[status] ?? 0]).toEqual([status, expect.any(Number)])
      expect(report.statuses[status]).toBeGreaterThan(0)
    }
  },
  timeoutMs,
)
