/**
 * `npm run test:api-fuzz`: sends hostile requests to every operation of the API, on stores of its
 * own, for a given time.
 */
import { Command } from 'commander'
import { systemClock } from '#platform/clock.ts'
import { wholeNumber } from '../../bench/report/parse-option.ts'
import { ApiFixture } from '../fixtures/api-fixture.ts'
import { startOwnStores } from '../fixtures/processes/stores.ts'
import { type Finding, fuzzApi } from './fuzz-api.ts'

const { seed, minutes } = new Command('test:api-fuzz')
  .description(
    'Sends hostile values in every position of every operation; fails on a 5xx or an undocumented response.',
  )
  .option('--seed <n>', 'seed of the requests', wholeNumber(0, 2 ** 31 - 1), 1)
  .option('--minutes <n>', 'how long to run', wholeNumber(1, 10_000), 5)
  .parse()
  .opts<{ seed: number; minutes: number }>()

const api = await ApiFixture.start(await startOwnStores())
try {
  const startedMs = systemClock.monotonicMs()
  const spentMinutes = () => (systemClock.monotonicMs() - startedMs) / 60_000
  const report = await fuzzApi({ api, seed, shouldContinue: () => spentMinutes() < minutes })
  const statuses = Object.entries(report.statuses).map(([status, count]) => `${count} × ${status}`)
  process.stdout.write(
    `seed ${seed}: ${report.requestCount} requests to ${report.operationCount} operations in ${spentMinutes().toFixed(1)} minutes (${statuses.join(', ')}); event loop blocked for at most ${report.stallMsMax} ms\n`,
  )
  for (const finding of report.findings) process.stderr.write(`${textOf(finding)}\n`)
  if (report.findings.length === 0) {
    process.stdout.write('No 5xx, and every response is documented.\n')
  } else {
    process.exitCode = 1
  }
} finally {
  await api.stop()
}

function textOf({ operation, caller, what, request, answer }: Finding): string {
  return `${operation} (credentials: ${caller})\n  ${what}\n  ${request}\n  ${answer}`
}
