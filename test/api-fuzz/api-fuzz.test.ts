/**
 * A short run of the API fuzzer, with another seed each time. `npm run test:api-fuzz` runs it for
 * any time.
 */
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../fixtures/api-fixture.ts'
import { fuzzApi } from './fuzz-api.ts'

const api = apiOfThisFile()
const seed = randomInt(2 ** 31)
const roundsMax = 12

test(`no input causes a 5xx or an undocumented response (seed ${seed})`, async () => {
  const report = await fuzzApi({
    api: api(),
    seed,
    shouldContinue: (rounds) => rounds < roundsMax,
  })
  expect(report.findings).toEqual([])
  expect(report.operationCount).toBeGreaterThan(150)
  // The fuzzer must get past authentication and validation: some requests succeed, and each kind
  // of refusal occurs.
  for (const status of ['200', '201', '204', '400', '401', '404', '409']) {
    expect([status, report.statuses[status] ?? 0]).toEqual([status, expect.any(Number)])
    expect(report.statuses[status]).toBeGreaterThan(0)
  }
})
