import { expect, test } from 'vitest'
import { startPostgres } from './fixtures/processes/common-postgres.ts'
import { describeRound, isPassed } from './mailkill/judge-round.ts'
import { runRound } from './mailkill/run-round.ts'

const plan = { seed: 6, recipients: 600, kills: 4 }

test('a campaign reaches every contact once while its mail processes are killed', async () => {
  const postgres = await startPostgres()
  try {
    const result = await runRound({ ...plan, postgresUrl: postgres.url, say: () => undefined })
    expect(isPassed(result, plan), `${describeRound(result)}\n${result.mailerLog}`).toBe(true)
  } finally {
    await postgres.stop()
  }
})
